/** Metrics of a process, in the Prometheus text format. */
import { statfs } from 'node:fs/promises';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { onUnreadable } from '#topics/unreadable.ts';
import type { SpanOutcome } from '#tracing/tracer.ts';
import type { Logger } from './logger.ts';
import { metersOf } from './meters.ts';
import { type CertificateFile, validityOf } from './server-tls.ts';
import { serviceVersion } from './version.ts';

export type { Registry } from 'prom-client';

/** Creates the registry of a process, with the label `service` on all metrics, its version, and Node's metrics. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  // The default, 10 ms, wakes an idle process a hundred times a second.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  const build = metersOf(registry).gauge(
    'touchline_build_info',
    'Always 1: the version that runs.',
    'version',
  );
  build.set({ version: serviceVersion() }, 1);
  return registry;
}

/** Returns a function that counts spans of traces by outcome, in one metric of the registry. */
export function spanCounter(registry: Registry): (outcome: SpanOutcome, count: number) => void {
  const spans = metersOf(registry).counter(
    'touchline_spans_total',
    'Spans of traces by outcome: sent, dropped because too many were waiting, or failed at the collector.',
    'outcome',
  );
  return (outcome, count) => spans.inc({ outcome }, count);
}

/** Registers the metrics. They are read on each scrape; one that cannot be read has no value. `dataDir`: null without data. */
export function hostMetrics(
  registry: Registry,
  certificates: readonly CertificateFile[],
  dataDir: string | null,
): void {
  const { measure, sampled } = metersOf(registry);
  const expiry = 'When the certificate of a setting expires, Unix seconds.';
  if (certificates.length > 0)
    sampled('touchline_certificate_expiry_timestamp_seconds', expiry, ['setting'], (gauge) => {
      gauge.reset();
      for (const file of certificates)
        try {
          gauge.set({ setting: file.setting }, validityOf(file).to / 1_000);
        } catch {}
    });
  if (dataDir === null) return;
  const disk = (name: string, help: string, blocks: 'blocks' | 'bavail') =>
    measure(name, help, async () => {
      const found = await statfs(dataDir).catch(() => null);
      return found && found.bsize * found[blocks];
    });
  disk('touchline_data_disk_bytes', 'Size of the disk with DATA_DIR.', 'blocks');
  disk('touchline_data_disk_free_bytes', 'Free space of that disk for this process.', 'bavail');
}

const MAX_CAUSES = 1_000;

/** Counts, and logs once for each topic and reason, the records that a process leaves out because nobody can read them (`libs/topics/unreadable.ts`). */
export function reportUnreadableRecords(metrics: Registry, log: Logger): void {
  const count = metersOf(metrics).counter(
    'touchline_unreadable_records_total',
    'Records that nobody can read, and that this process left out.',
    'topic',
  );
  // One cause, such as a registry without a schema, may concern every record of a topic.
  const logged = new Set<string>();
  onUnreadable(({ topic, partition, offset, error }) => {
    count.inc({ topic });
    const cause = `${topic} ${error.message}`;
    if (logged.has(cause)) return;
    if (logged.size >= MAX_CAUSES) logged.clear();
    logged.add(cause);
    log.error(
      { err: error, topic, partition, offset },
      'a record that nobody can read is left out; others for the same reason are only counted',
    );
  });
}

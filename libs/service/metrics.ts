/** Metrics of a process, in the Prometheus text format. */
import { statfs } from 'node:fs/promises';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { onUnreadable } from '#topics/unreadable.ts';
import type { SpanOutcome } from '#tracing/tracer.ts';
import type { Logger } from './logger.ts';
import { type CertificateFile, validityOf } from './server-tls.ts';
import { serviceVersion } from './version.ts';

export type { Registry } from 'prom-client';

/** Creates the registry of a process, with the label `service` on all metrics, its version, and Node's metrics. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  // The default, 10 ms, wakes an idle process a hundred times a second.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  new Gauge({
    name: 'touchline_build_info',
    help: 'Always 1: the version that runs.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: serviceVersion() }, 1);
  return registry;
}

/** Returns a function that counts spans of traces by outcome, in one metric of the registry. */
export function spanCounter(registry: Registry): (outcome: SpanOutcome, count: number) => void {
  const spans = new Counter({
    name: 'touchline_spans_total',
    help: 'Spans of traces by outcome: sent, dropped because too many were waiting, or failed at the collector.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return (outcome, count) => spans.inc({ outcome }, count);
}

type Host = {
  readonly certificates: readonly CertificateFile[];
  /** Null: the process keeps no data. */
  readonly dataDir: string | null;
};

/** Registers the metrics. They are read on each scrape; one that cannot be read has no value. */
export function hostMetrics(registry: Registry, { certificates, dataDir }: Host): void {
  const registers = [registry];
  if (certificates.length > 0)
    new Gauge({
      name: 'touchline_certificate_expiry_timestamp_seconds',
      help: 'When the certificate of a setting expires, Unix seconds.',
      labelNames: ['setting'],
      registers,
      collect() {
        for (const file of certificates) {
          const { setting } = file;
          try {
            this.set({ setting }, validityOf(file).to / 1_000);
          } catch {
            this.remove({ setting });
          }
        }
      },
    });
  if (dataDir === null) return;
  const size = new Gauge({
    name: 'touchline_data_disk_bytes',
    help: 'Size of the disk with DATA_DIR.',
    registers,
  });
  new Gauge({
    name: 'touchline_data_disk_free_bytes',
    help: 'Free space of that disk for this process.',
    registers,
    async collect() {
      try {
        const { bsize, blocks, bavail } = await statfs(dataDir);
        size.set(bsize * blocks);
        this.set(bsize * bavail);
      } catch {
        this.remove();
        size.remove();
      }
    },
  });
}

const MAX_CAUSES = 1_000;

/** Counts, and logs once for each topic and reason, the records that a process leaves out because nobody can read them (`libs/topics/unreadable.ts`). */
export function reportUnreadableRecords(metrics: Registry, log: Logger): void {
  const count = new Counter({
    name: 'touchline_unreadable_records_total',
    help: 'Records that nobody can read, and that this process left out.',
    labelNames: ['topic'],
    registers: [metrics],
  });
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

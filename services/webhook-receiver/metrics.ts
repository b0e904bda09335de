import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { countFromZero, DEAD_LETTER_CODES } from '#errors/catalogue.ts';
import { spanCounter } from '#service/metrics.ts';
import { stageLatencies } from '#service/stage-latency.ts';
import type { SpanOutcome } from '#tracing/tracer.ts';
import { aheadMs } from './source-status.ts';
import { AUTHENTIC_REFUSALS, type Counts, type ThreadReport } from './tally.ts';
import type { ReceiverThreads } from './threads.ts';

/** The threads, whose reports are requested when the metrics are read. */
type ThreadReports = Pick<ReceiverThreads, 'report' | 'total'>;

/** Creates the receiver's metrics in a registry. Returns a function that adds a report to them. */
export function receiverMetrics(registry: Registry, source: ThreadReports): (report: ThreadReport) => void {
  const collect = (): Promise<void> => source.report();
  const registers = [registry];
  const gauge = (name: string, help: string, figure: Parameters<ThreadReports['total']>[0]): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        await source.report();
        this.set(source.total(figure));
      },
    });
  };
  gauge(
    'touchline_webhook_pending_bytes',
    'Bytes of records that the broker has not acknowledged yet.',
    'pendingBytes',
  );
  gauge('touchline_webhook_connections', 'Open connections.', 'connections');
  gauge(
    'touchline_webhook_unproven_bytes',
    'Bytes held of bodies whose signature is not verified yet.',
    'unprovenBytes',
  );
  const counter = <L extends string>(name: string, help: string, label: L): Counter<L> =>
    new Counter({ name, help, labelNames: [label], registers, collect });
  const requests = counter('touchline_webhook_requests_total', 'Requests answered, by outcome.', 'outcome');
  const refused = counter(
    'touchline_webhook_refused_total',
    'Requests that are not authentic, by the first failed check.',
    'check',
  );
  const refusedAuthentic = counter(
    'touchline_webhook_refused_authentic_total',
    'Authentic deliveries refused, which their sender keeps, by reason.',
    'reason',
  );
  for (const reason of AUTHENTIC_REFUSALS) refusedAuthentic.inc({ reason }, 0);
  const clockBehind = new Gauge({
    name: 'touchline_webhook_clock_behind_seconds',
    help: 'How far the newest ut of the last messages was ahead of the clock of this machine; 0 when it was not.',
    registers,
    collect,
  });
  const overloaded = counter(
    'touchline_webhook_overloaded_total',
    'Connections and bodies refused above a limit, by limit.',
    'reason',
  );
  const messages = counter(
    'touchline_webhook_messages_total',
    'Messages accepted, by type; "unknown" counts all unused types.',
    'type',
  );
  const deadLetters = counter(
    'touchline_webhook_dead_letters_total',
    'Messages and bodies sent to dead letters, by reason.',
    'code',
  );
  const unread = counter(
    'touchline_unread_fields_total',
    'Fields that could not be read and count as left out, by path.',
    'path',
  );
  countFromZero(deadLetters, Object.keys(DEAD_LETTER_CODES));
  const storeSeconds = new Histogram({
    name: 'touchline_webhook_store_seconds',
    help: 'Time until deliveries are stored: the longest of those stored together.',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
    registers,
    collect,
  });
  const stages = stageLatencies(registry, ['provider_to_received', 'received_to_published']);
  const countSpans = spanCounter(registry);
  return (report) => {
    inc(requests, 'outcome', report.answered);
    inc(refused, 'check', report.refused);
    inc(refusedAuthentic, 'reason', report.refusedAuthentic);
    if (report.providerMs.length > 0) clockBehind.set(aheadMs(report.providerMs) / 1_000);
    inc(overloaded, 'reason', report.overloaded);
    inc(messages, 'type', report.messages);
    inc(deadLetters, 'code', report.deadLetters);
    inc(unread, 'path', report.unread);
    for (const [outcome, times] of Object.entries(report.spans)) countSpans(outcome as SpanOutcome, times);
    for (const seconds of report.storeSeconds) {
      storeSeconds.observe(seconds);
      stages.received_to_published(seconds * 1_000);
    }
    report.providerMs.forEach(stages.provider_to_received);
  };
}

function inc<Label extends string>(counter: Counter<Label>, label: Label, counts: Counts): void {
  for (const [name, times] of Object.entries(counts)) {
    counter.inc({ [label]: name } as Partial<Record<Label, string>>, times);
  }
}

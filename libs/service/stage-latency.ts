/** How long records take on their way, as one histogram over all services (docs/reference/metrics.md). */
import { Counter, Histogram, type Registry } from 'prom-client';

/** What is measured: from the provider's `ut` to the receipt, and from there until something is reached. */
export type Stage =
  /** `ut` is in whole seconds: up to one too long. */
  | 'provider_to_received'
  | 'received_to_published'
  | 'received_to_state'
  | 'received_to_standings'
  | 'received_to_view'
  | 'received_to_delivered';

/** Takes how long one record took, milliseconds. */
export type ObserveLatency = (elapsedMs: number) => void;

/** What took longer is history that is read again (a rebuild, a resent webhook, matches of years ago), and no latency. */
export const LATENCY_LIMIT_MS = 600_000;

/** Makes the histogram of these stages in a registry; once for each registry. */
export function stageLatencies<const S extends Stage>(
  registry: Registry,
  stages: readonly S[],
): Readonly<Record<S, ObserveLatency>> {
  const registers = [registry];
  const histogram = new Histogram({
    name: 'touchline_stage_latency_seconds',
    help: 'Time until a record has reached a stage, but for records that are older than ten minutes there.',
    labelNames: ['stage'],
    buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 600],
    registers,
  });
  const skipped = new Counter({
    name: 'touchline_stage_history_records_total',
    help: 'Records that count for no latency: ten minutes older than the clock when they reached a stage, or newer.',
    labelNames: ['stage'],
    registers,
  });
  const observers = stages.map((stage): [S, ObserveLatency] => {
    histogram.zero({ stage });
    skipped.inc({ stage }, 0);
    const { observe } = histogram.labels(stage);
    const skip = skipped.labels(stage);
    return [
      stage,
      (elapsedMs) => {
        if (Math.abs(elapsedMs) > LATENCY_LIMIT_MS) skip.inc();
        // A clock that is behind the one before it, by a step or by its error.
        else observe(Math.max(0, elapsedMs) / 1_000);
      },
    ];
  });
  return Object.fromEntries(observers) as unknown as Record<S, ObserveLatency>;
}

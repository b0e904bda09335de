/** Latency of records on their way, as one histogram over all services (docs/reference/metrics.md). */
import type { Registry } from 'prom-client';
import { metersOf } from './meters.ts';

/** The measured stages: from the provider's `ut` to the receipt, and from the receipt to a later stage. */
type LatencyStage =
  /** Up to one second too long, as `ut` is in whole seconds. */
  | 'provider_to_received'
  | 'received_to_published'
  | 'received_to_state'
  | 'received_to_standings'
  | 'received_to_alert'
  | 'received_to_view'
  | 'received_to_delivered';

/** Observes the latency of one record, milliseconds. */
type ObserveLatency = (elapsedMs: number) => void;

/** Maximum latency. A longer time means old records that are read again: a rebuild, a resent webhook, old matches. */
export const LATENCY_LIMIT_MS = 600_000;

/** Registers the histogram of these stages. Call once for each registry. */
export function stageLatencies<const S extends LatencyStage>(
  registry: Registry,
  stages: readonly S[],
): Readonly<Record<S, ObserveLatency>> {
  const meters = metersOf(registry);
  const histogram = meters.histogram(
    'touchline_stage_latency_seconds',
    'Time until a record has reached a stage, without records that are then older than ten minutes.',
    [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 600],
    'stage',
  );
  const skipped = meters.counter(
    'touchline_stage_history_records_total',
    'Records without a latency: more than ten minutes older or newer than the clock when they reached a stage.',
    'stage',
  );
  const observers = stages.map((stage): [S, ObserveLatency] => {
    histogram.zero({ stage });
    skipped.inc({ stage }, 0);
    const { observe } = histogram.labels(stage);
    const skip = skipped.labels(stage);
    return [
      stage,
      (elapsedMs) => {
        if (Math.abs(elapsedMs) > LATENCY_LIMIT_MS) skip.inc();
        // Negative if this clock is behind the previous machine's.
        else observe(Math.max(0, elapsedMs) / 1_000);
      },
    ];
  });
  return Object.fromEntries(observers) as unknown as Record<S, ObserveLatency>;
}

import type { Registry } from 'prom-client';
import { metersOf } from '#service/meters.ts';
import { stageLatencies } from '#service/stage-latency.ts';
import type { ViewRecord } from './records.ts';

/** Registers the metrics of views. `service` is part of their names: `touchline_<service>_records_total`. No label holds an id, a client or a token. */
export function viewMetrics(registry: Registry, service: string) {
  const { counter, gauge, histogram, sampled } = metersOf(registry);
  const prefix = `touchline_${service}`;
  let newest: number | null = null;
  const age = 'Time since the newest record in the views was written.';
  sampled(`${prefix}_view_age_seconds`, age, [], (of) => {
    if (newest !== null) of.set(Math.max(0, (Date.now() - newest) / 1000));
  });
  const { received_to_view } = stageLatencies(registry, ['received_to_view']);
  return {
    /** Observes the latency of match states that became visible at `now`, Unix milliseconds. Call only after catching up. */
    applied(records: readonly ViewRecord[], now: number): void {
      for (const { topic, value } of records)
        if (topic === 'match-state' && value !== null) received_to_view(now - value.cause.received_at);
    },
    records: counter(`${prefix}_records_total`, 'Records applied to the views.', 'topic'),
    lag: gauge(
      `${prefix}_lag_records`,
      'Records between the position and the end of the partition, as of its last batch.',
      'topic',
      'partition',
    ),
    applySeconds: histogram(
      `${prefix}_apply_seconds`,
      'Time to apply a batch of records.',
      [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1],
    ),
    /** Notes that the views have a record that was written at `timestamp`, Unix milliseconds. */
    seen(timestamp: number): void {
      newest = Math.max(newest ?? 0, timestamp);
    },
  };
}

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The metrics of an api. None of them names an id, a client or a token. */
export type ApiMetrics = ReturnType<typeof apiMetrics>;

export function apiMetrics(registry: Registry) {
  const registers = [registry];
  let newest: number | null = null;
  new Gauge({
    name: 'touchline_api_view_age_seconds',
    help: 'Time since the newest record that the views have was written.',
    registers,
    collect() {
      if (newest !== null) this.set(Math.max(0, (Date.now() - newest) / 1000));
    },
  });
  return {
    records: new Counter({
      name: 'touchline_api_records_total',
      help: 'Records applied to the views.',
      labelNames: ['topic'],
      registers,
    }),
    skipped: new Counter({
      name: 'touchline_api_records_skipped_total',
      help: 'Records that could not be decoded.',
      labelNames: ['topic'],
      registers,
    }),
    lag: new Gauge({
      name: 'touchline_api_lag_records',
      help: 'Records between the position and the end of the partition, as of its last batch.',
      labelNames: ['topic', 'partition'],
      registers,
    }),
    applySeconds: new Histogram({
      name: 'touchline_api_apply_seconds',
      help: 'Time to apply a batch of records.',
      buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'touchline_api_request_seconds',
      help: 'Time from a request to its answer, by route and status.',
      labelNames: ['route', 'status'],
      buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
      registers,
    }),
    /** A record written then, Unix milliseconds, is in the views. */
    seen(timestamp: number | null): void {
      if (timestamp !== null && timestamp > (newest ?? 0)) newest = timestamp;
    },
  };
}

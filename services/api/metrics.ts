import { Histogram, type Registry } from 'prom-client';
import { viewMetrics } from '#views/metrics.ts';

/** The metrics of an api. None of them names an id, a client or a token. */
export type ApiMetrics = ReturnType<typeof apiMetrics>;

export function apiMetrics(registry: Registry) {
  return {
    ...viewMetrics(registry, 'api'),
    requestSeconds: new Histogram({
      name: 'touchline_api_request_seconds',
      help: 'Time from a request to its answer, by route and status.',
      labelNames: ['route', 'status'],
      buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
      registers: [registry],
    }),
  };
}

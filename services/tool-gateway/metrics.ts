import { Gauge, Histogram, type Registry } from 'prom-client';

const BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** Registers the metrics of a tool gateway: none names a client, an address or a token. `tokens`: returns their number. */
export function gatewayMetrics(registry: Registry, tokens: () => number) {
  const registers = [registry];
  new Gauge({
    name: 'touchline_access_tokens',
    help: 'Known access tokens, including those revoked or expired in the last 30 days.',
    registers,
    collect() {
      this.set(tokens());
    },
  });
  return {
    exchangeSeconds: new Histogram({
      name: 'touchline_exchange_seconds',
      help: 'Time until an exchange is answered, by outcome: issued, or the error.',
      labelNames: ['outcome'],
      buckets: BUCKETS,
      registers,
    }),
    upstreamSeconds: new Histogram({
      name: 'touchline_exchange_upstream_seconds',
      help: 'Time of a credential check, by the status of its answer, or the reason why there is none.',
      labelNames: ['outcome'],
      buckets: BUCKETS,
      registers,
    }),
  };
}

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What became of a request. */
export type Outcome =
  | 'accepted'
  | 'not_authentic'
  | 'too_large'
  | 'bad_request'
  | 'not_found'
  | 'method_not_allowed'
  | 'too_slow'
  | 'not_stored'
  | 'failed';

/** The receiver's metrics. */
export type ReceiverMetrics = ReturnType<typeof receiverMetrics>;

/** Makes the receiver's metrics in a registry; `queuedBytes` is read when they are asked for. */
export function receiverMetrics(registry: Registry, queuedBytes: () => number) {
  const registers = [registry];
  new Gauge({
    name: 'touchline_webhook_queue_bytes',
    help: 'Bytes that wait for the broker.',
    registers,
    collect() {
      this.set(queuedBytes());
    },
  });
  return {
    requests: new Counter({
      name: 'touchline_webhook_requests_total',
      help: 'Requests answered, by what became of them.',
      labelNames: ['outcome'],
      registers,
    }),
    refused: new Counter({
      name: 'touchline_webhook_refused_total',
      help: 'Requests that are not authentic, by the first check they failed.',
      labelNames: ['check'],
      registers,
    }),
    messages: new Counter({
      name: 'touchline_webhook_messages_total',
      help: 'Messages accepted, by type; "unknown" is of a type that nothing here uses.',
      labelNames: ['type'],
      registers,
    }),
    deadLetters: new Counter({
      name: 'touchline_webhook_dead_letters_total',
      help: 'Messages and bodies given up, by reason.',
      labelNames: ['code'],
      registers,
    }),
    publishSeconds: new Histogram({
      name: 'touchline_webhook_publish_seconds',
      help: 'Time until the broker has acknowledged all records of a delivery.',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
      registers,
    }),
  };
}

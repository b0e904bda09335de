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

/** Makes the receiver's metrics in a registry; `pendingBytes` is read when they are asked for. */
export function receiverMetrics(registry: Registry, pendingBytes: () => number) {
  const registers = [registry];
  new Gauge({
    name: 'touchline_webhook_pending_bytes',
    help: 'Bytes of bodies that are not on the topics yet.',
    registers,
    collect() {
      this.set(pendingBytes());
    },
  });
  // A labelled counter costs some microseconds; what each request counts is added up and given when it is asked for.
  const answered = new Map<Outcome, number>();
  new Counter({
    name: 'touchline_webhook_requests_total',
    help: 'Requests answered, by what became of them.',
    labelNames: ['outcome'],
    registers,
    collect() {
      for (const [outcome, times] of answered) this.inc({ outcome }, times);
      answered.clear();
    },
  });
  return {
    /** Counts a request that is answered. */
    count(outcome: Outcome): void {
      answered.set(outcome, (answered.get(outcome) ?? 0) + 1);
    },
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
    storeSeconds: new Histogram({
      name: 'touchline_webhook_store_seconds',
      help: 'Time until deliveries that went to a worker together are stored or have failed.',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
      registers,
    }),
  };
}

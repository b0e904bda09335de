import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { stageLatencies } from '#service/stage-latency.ts';

const STATES = ['delivering', 'failing', 'disabled'] as const;
/** The state of a subscription that no key opens: it has no delivery. */
const SEALED = 'sealed';

/** The dispatcher's metrics. None has a label for a subscription: there may be thousands. */
export type DispatcherMetrics = ReturnType<typeof dispatcherMetrics>;

/** Current figures of the gauges. */
export type DeliveryFigures = {
  readonly states: ReadonlyMap<(typeof STATES)[number], number>;
  /** Subscriptions of this process that no key opens. */
  readonly sealed: number;
  /** Partitions of webhook-progress that the group has assigned to this process, and that it does not deliver. */
  readonly unclaimed: number;
  /** Records between the subscriptions and the end of webhook-messages, summed over those that are not disabled. */
  readonly behind: number;
  readonly windowBytes: number;
};

export function dispatcherMetrics(registry: Registry) {
  const registers = [registry];
  return {
    stages: stageLatencies(registry, ['received_to_delivered']),
    attempts: new Counter({
      name: 'touchline_dispatcher_attempts_total',
      help: 'Attempts to deliver, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'touchline_dispatcher_attempt_seconds',
      help: 'Time from a request to the end of its answer.',
      buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
      registers,
    }),
    messages: new Counter({
      name: 'touchline_dispatcher_messages_total',
      help: 'Messages delivered, summed over subscriptions.',
      registers,
    }),
    leftOut: new Counter({
      name: 'touchline_dispatcher_left_out_total',
      help: 'States that were not sent to a subscription to the latest only, as a newer one of their match was there.',
      registers,
    }),
    lostRecords: new Counter({
      name: 'touchline_dispatcher_lost_records_total',
      help: 'Records of webhook-messages that expired before their delivery.',
      registers,
    }),
    disabled: new Counter({
      name: 'touchline_dispatcher_disabled_total',
      help: 'Subscriptions that were disabled because they failed for too long.',
      registers,
    }),
  };
}

/** Registers the gauges of deliveries, which read `figures` on each scrape. */
export function registerDeliveryGauges(registry: Registry, figures: () => DeliveryFigures): void {
  const registers = [registry];
  new Gauge({
    name: 'touchline_dispatcher_subscriptions',
    help: 'Webhook subscriptions that this process delivers, by state.',
    labelNames: ['state'],
    registers,
    collect() {
      const { states, sealed } = figures();
      for (const state of STATES) this.set({ state }, states.get(state) ?? 0);
      this.set({ state: SEALED }, sealed);
    },
  });
  const gauges = [
    [
      'touchline_dispatcher_unclaimed_partitions',
      'unclaimed',
      'Partitions of webhook-progress that the group has assigned to this process, and that it does not deliver yet.',
    ],
    [
      'touchline_dispatcher_behind_records',
      'behind',
      'Records between subscriptions and the end of webhook-messages, summed over all that are not disabled.',
    ],
    [
      'touchline_dispatcher_window_bytes',
      'windowBytes',
      'Bytes of the latest messages in memory, shared by all subscriptions.',
    ],
  ] as const;
  for (const [name, figure, help] of gauges)
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(figures()[figure]);
      },
    });
}

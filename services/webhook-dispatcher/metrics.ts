import type { Registry } from 'prom-client';
import { metersOf } from '#service/meters.ts';
import { stageLatencies } from '#service/stage-latency.ts';

const STATES = ['delivering', 'failing', 'disabled'] as const;
/** The state of a subscription that no key opens: it has no delivery. */
const SEALED = 'sealed';

/** The dispatcher's metrics. None has a label for a subscription: there may be thousands. */
export type DispatcherMetrics = ReturnType<typeof dispatcherMetrics>;

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
  const { counter, histogram } = metersOf(registry);
  return {
    stages: stageLatencies(registry, ['received_to_delivered']),
    attempts: counter('touchline_dispatcher_attempts_total', 'Attempts to deliver, by outcome.', 'outcome'),
    attemptSeconds: histogram(
      'touchline_dispatcher_attempt_seconds',
      'Time from a request to the end of its answer.',
      [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
    ),
    messages: counter(
      'touchline_dispatcher_messages_total',
      'Messages delivered, summed over subscriptions.',
    ),
    leftOut: counter(
      'touchline_dispatcher_left_out_total',
      'States that were not sent to a subscription to the latest only, as a newer one of their match was there.',
    ),
    lostRecords: counter(
      'touchline_dispatcher_lost_records_total',
      'Records of webhook-messages that expired before their delivery.',
    ),
    disabled: counter(
      'touchline_dispatcher_disabled_total',
      'Subscriptions that were disabled because they failed for too long.',
    ),
  };
}

/** Registers the gauges of deliveries, which read `figures` on each scrape. */
export function registerDeliveryGauges(registry: Registry, figures: () => DeliveryFigures): void {
  const { measure, sampled } = metersOf(registry);
  const byState = 'Webhook subscriptions that this process delivers, by state.';
  sampled('touchline_dispatcher_subscriptions', byState, ['state'], (gauge) => {
    const { states, sealed } = figures();
    for (const state of STATES) gauge.set({ state }, states.get(state) ?? 0);
    gauge.set({ state: SEALED }, sealed);
  });
  measure(
    'touchline_dispatcher_unclaimed_partitions',
    'Partitions of webhook-progress that the group has assigned to this process, and that it does not deliver yet.',
    () => figures().unclaimed,
  );
  measure(
    'touchline_dispatcher_behind_records',
    'Records between subscriptions and the end of webhook-messages, summed over all that are not disabled.',
    () => figures().behind,
  );
  measure(
    'touchline_dispatcher_window_bytes',
    'Bytes of the latest messages in memory, shared by all subscriptions.',
    () => figures().windowBytes,
  );
}

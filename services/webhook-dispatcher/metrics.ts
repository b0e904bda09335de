import type { Registry } from 'prom-client';
import { metersOf } from '#service/meters.ts';
import { stageLatencies } from '#service/stage-latency.ts';

/** The dispatcher's metrics. None has a label for a subscription: there may be thousands. */
export type DispatcherMetrics = ReturnType<typeof dispatcherMetrics>;

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

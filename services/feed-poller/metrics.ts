import type { Registry } from 'prom-client';
import { countFromZero, DEAD_LETTER_CODES } from '#errors/catalogue.ts';
import { metersOf } from '#service/meters.ts';
import { stageLatencies } from '#service/stage-latency.ts';

export type PollerMetrics = ReturnType<typeof pollerMetrics>;

/** Creates the poller's metrics in a registry. */
export function pollerMetrics(registry: Registry) {
  const { counter, gauge, histogram, measure } = metersOf(registry);
  let lag = (): number | null => null;
  measure(
    'touchline_poller_feed_lag_seconds',
    'Seconds between the position of the feed (read, published and settled) and now, by the clock of the provider.',
    () => lag(),
  );
  const deadLetters = counter('touchline_poller_dead_letters_total', 'Dead letters, by reason.', 'code');
  countFromZero(deadLetters, DEAD_LETTER_CODES);
  return {
    /** Sets the function that returns the feed's lag in seconds; null while it is unknown. */
    setLag(read: () => number | null): void {
      lag = read;
    },
    stages: stageLatencies(registry, ['provider_to_received', 'received_to_published']),
    leader: gauge('touchline_poller_leader', '1 when this process is the one that polls.'),
    requests: counter('touchline_poller_requests_total', 'Requests to the provider.', 'operation', 'outcome'),
    requestSeconds: histogram(
      'touchline_poller_request_seconds',
      'Time of a request to the provider.',
      [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
      'operation',
    ),
    retries: counter('touchline_poller_retries_total', 'Reads that are retried.', 'resource', 'code'),
    stopped: gauge('touchline_poller_stopped_resources', 'Resources that the provider refuses.', 'resource'),
    messages: counter('touchline_poller_messages_total', 'Messages published; "unknown": unused.', 'type'),
    deadLetters,
    unread: counter('touchline_unread_fields_total', 'Fields that could not be read, by path.', 'path'),
    catalogue: counter('touchline_poller_catalogue_records_total', 'Catalogue records published.', 'kind'),
    rankings: counter('touchline_poller_rankings_total', 'Rankings of teams and clubs published.'),
    checkpoints: counter('touchline_poller_checkpoints_total', 'Checkpoints written.'),
    watched: gauge('touchline_poller_watched_events', 'Events that are checked by snapshot.', 'state'),
    refusedLists: gauge('touchline_poller_refused_lists', 'Events whose latest list is refused.', 'reason'),
  };
}

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { countFromZero, DEAD_LETTER_CODES } from '#errors/catalogue.ts';
import { stageLatencies } from '#service/stage-latency.ts';

export type PollerMetrics = ReturnType<typeof pollerMetrics>;

/** Creates the poller's metrics in a registry. */
export function pollerMetrics(registry: Registry) {
  const registers = [registry];
  const counter = <L extends string = string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <L extends string = string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers });
  let lag = (): number | null => null;
  new Gauge({
    name: 'touchline_poller_feed_lag_seconds',
    help: 'Seconds between the position of the feed (read, published and settled) and now, by the clock of the provider.',
    registers,
    collect() {
      const seconds = lag();
      if (seconds === null) this.reset();
      else this.set(seconds);
    },
  });
  const deadLetters = counter(
    'touchline_poller_dead_letters_total',
    'Messages sent to dead letters, by reason.',
    'code',
  );
  countFromZero(deadLetters, DEAD_LETTER_CODES);
  return {
    /** Sets the function that returns the feed's lag in seconds; null while it is unknown. */
    setLag(read: () => number | null): void {
      lag = read;
    },
    stages: stageLatencies(registry, ['provider_to_received', 'received_to_published']),
    leader: gauge('touchline_poller_leader', '1 when this process is the one that polls.'),
    requests: counter(
      'touchline_poller_requests_total',
      'Requests to the provider, by operation and by status or failure.',
      'operation',
      'outcome',
    ),
    requestSeconds: new Histogram({
      name: 'touchline_poller_request_seconds',
      help: 'Time of a request to the provider.',
      labelNames: ['operation'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
      registers,
    }),
    retries: counter(
      'touchline_poller_retries_total',
      'Failed reads that are retried, by kind of resource and reason.',
      'resource',
      'code',
    ),
    stopped: gauge(
      'touchline_poller_stopped_resources',
      'Resources that are not read because the provider refuses them, by kind.',
      'resource',
    ),
    messages: counter(
      'touchline_poller_messages_total',
      'Messages published, by type; "unknown" counts all unused types.',
      'type',
    ),
    deadLetters,
    unread: counter(
      'touchline_unread_fields_total',
      'Fields that could not be read and count as left out, by path.',
      'path',
    ),
    catalogue: counter(
      'touchline_poller_catalogue_records_total',
      'Catalogue records published, by kind.',
      'kind',
    ),
    rankings: counter('touchline_poller_rankings_total', 'Rankings of national teams and clubs published.'),
    checkpoints: counter('touchline_poller_checkpoints_total', 'Checkpoints written.'),
    watched: gauge(
      'touchline_poller_watched_events',
      'Events that are checked by snapshot: live ones, and finished ones until they are verified.',
      'state',
    ),
    refusedLists: gauge(
      'touchline_poller_refused_lists',
      'Watched events whose latest incident list is not plausible and changed nothing, by reason.',
      'reason',
    ),
  };
}

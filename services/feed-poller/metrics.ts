import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { countFromZero, DEAD_LETTER_CODES } from '#errors/catalogue.ts';
import { stageLatencies } from '#service/stage-latency.ts';

export type PollerMetrics = ReturnType<typeof pollerMetrics>;

/** Creates the poller's metrics in a registry. */
export function pollerMetrics(registry: Registry) {
  const registers = [registry];
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
  const deadLetters = new Counter({
    name: 'touchline_poller_dead_letters_total',
    help: 'Messages sent to dead letters, by reason.',
    labelNames: ['code'],
    registers,
  });
  countFromZero(deadLetters, DEAD_LETTER_CODES);
  return {
    /** Sets the function that returns the feed's lag in seconds; null while it is unknown. */
    setLag(read: () => number | null): void {
      lag = read;
    },
    stages: stageLatencies(registry, ['provider_to_received', 'received_to_published']),
    leader: new Gauge({
      name: 'touchline_poller_leader',
      help: '1 when this process is the one that polls.',
      registers,
    }),
    requests: new Counter({
      name: 'touchline_poller_requests_total',
      help: 'Requests to the provider, by operation and by status or failure.',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'touchline_poller_request_seconds',
      help: 'Time of a request to the provider.',
      labelNames: ['operation'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
      registers,
    }),
    retries: new Counter({
      name: 'touchline_poller_retries_total',
      help: 'Failed reads that are retried, by kind of resource and reason.',
      labelNames: ['resource', 'code'],
      registers,
    }),
    stopped: new Gauge({
      name: 'touchline_poller_stopped_resources',
      help: 'Resources that are not read because the provider refuses them, by kind.',
      labelNames: ['resource'],
      registers,
    }),
    messages: new Counter({
      name: 'touchline_poller_messages_total',
      help: 'Messages published, by type; "unknown" counts all unused types.',
      labelNames: ['type'],
      registers,
    }),
    deadLetters,
    unread: new Counter({
      name: 'touchline_unread_fields_total',
      help: 'Fields that could not be read and count as left out, by path.',
      labelNames: ['path'],
      registers,
    }),
    catalogue: new Counter({
      name: 'touchline_poller_catalogue_records_total',
      help: 'Catalogue records published, by kind.',
      labelNames: ['kind'],
      registers,
    }),
    rankings: new Counter({
      name: 'touchline_poller_rankings_total',
      help: 'Rankings of national teams and clubs published.',
      registers,
    }),
    checkpoints: new Counter({
      name: 'touchline_poller_checkpoints_total',
      help: 'Checkpoints written.',
      registers,
    }),
    watched: new Gauge({
      name: 'touchline_poller_watched_events',
      help: 'Events that are checked by snapshot: live ones, and finished ones until they are verified.',
      labelNames: ['state'],
      registers,
    }),
    refusedLists: new Gauge({
      name: 'touchline_poller_refused_lists',
      help: 'Watched events whose latest incident list is not plausible and changed nothing, by reason.',
      labelNames: ['reason'],
      registers,
    }),
  };
}

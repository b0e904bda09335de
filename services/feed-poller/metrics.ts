import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { countFromZero, DEAD_LETTER_CODES } from '#errors/catalogue.ts';
import { stageLatencies } from '#service/stage-latency.ts';

export type PollerMetrics = ReturnType<typeof pollerMetrics>;

/** Makes the poller's metrics in a registry. */
export function pollerMetrics(registry: Registry) {
  const registers = [registry];
  let lag = (): number | null => null;
  new Gauge({
    name: 'touchline_poller_feed_lag_seconds',
    help: 'Provider time between what of the feed is read, published and settled, and now.',
    registers,
    collect() {
      const seconds = lag();
      if (seconds === null) this.reset();
      else this.set(seconds);
    },
  });
  const deadLetters = new Counter({
    name: 'touchline_poller_dead_letters_total',
    help: 'Messages given up, by reason.',
    labelNames: ['code'],
    registers,
  });
  countFromZero(deadLetters, Object.keys(DEAD_LETTER_CODES));
  return {
    /** Sets the source of the feed's lag in seconds; null while it is unknown. */
    lagIs(from: () => number | null): void {
      lag = from;
    },
    stages: stageLatencies(registry, ['provider_to_received', 'received_to_published']),
    leader: new Gauge({
      name: 'touchline_poller_leader',
      help: '1 where this process is the one that polls.',
      registers,
    }),
    requests: new Counter({
      name: 'touchline_poller_requests_total',
      help: 'Requests to the provider, by the status or the failure they ended with.',
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
      help: 'Readings that failed and are tried again, by kind of resource and reason.',
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
      help: 'Messages published, by type; "unknown" is of a type that nothing here uses.',
      labelNames: ['type'],
      registers,
    }),
    deadLetters,
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
      help: 'Events that are checked by snapshot: live ones, and finished ones that are not verified.',
      labelNames: ['state'],
      registers,
    }),
  };
}

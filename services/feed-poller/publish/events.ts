import { hash } from 'node:crypto';
import { toWholeNumber } from '#contract/values.ts';
import type { Clock } from '../clock.ts';
import { Limiter } from '../provider/limiter.ts';
import { idOf, type Raw, without } from '../provider/tree.ts';
import { type EventReading, readEvents } from './messages.ts';
import type { Outlet } from './outlet.ts';

/** Where events were read. The same event may look different in each. */
export type EventSource = 'schedule' | 'livescore' | 'show';

/** A record may be older than the answer that it stands in by this much, seconds: the margin of the laws for snapshots. */
const SETTLE = 5;

type News = EventReading & { readonly id: string; readonly own: number; readonly digest: string };

/** Where and when events were read. */
export type EventsReading = {
  readonly source: EventSource;
  /** `api.timestamp` of the answer, Unix seconds. */
  readonly time: number;
  /** It was asked for to settle the event, so it goes over everything older than itself. */
  readonly final?: boolean;
};

type Told = {
  /** The event's own `ut` as last read. */
  ut: number;
  /** `ut` of the last message made of it. */
  told: number;
  readonly hashes: Map<EventSource, string>;
};

/**
 * Tells what changed of events that are read from lists: a message for each, as the feed would have it.
 *
 * Its `ut` is the event's own, so that a list out of some cache never goes over what the feed said since. Where the
 * record changed and its `ut` did not rise above what was told, the time of the answer stands for it, less the margin.
 */
export class EventTeller {
  readonly #outlet: Pick<Outlet, 'deliver'>;
  readonly #clock: Pick<Clock, 'unix'>;
  readonly #told = new Map<string, Told>();
  /** What changed is only known once the readings before are told. */
  readonly #one = new Limiter(1);

  constructor(outlet: Pick<Outlet, 'deliver'>, clock: Pick<Clock, 'unix'>) {
    this.#outlet = outlet;
    this.#clock = clock;
  }

  /** Publishes those of the events that are not as they were told. Throws `PublishError`. */
  tell(events: readonly Raw[], reading: EventsReading): Promise<void> {
    return this.#one.run(() => this.#tell(events, reading));
  }

  async #tell(events: readonly Raw[], reading: EventsReading): Promise<void> {
    const news = events.map((record) => this.#newsOf(record, reading)).filter((one) => one !== null);
    if (news.length === 0) return;
    for (const delivery of readEvents(news, this.#clock.unix())) await this.#outlet.deliver(delivery);
    for (const { id, ut, own, digest } of news) {
      const hashes = this.#told.get(id)?.hashes ?? new Map<EventSource, string>();
      this.#told.set(id, { ut: own, told: ut, hashes: hashes.set(reading.source, digest) });
    }
  }

  /** The message to tell of an event; null where there is none. */
  #newsOf(record: Raw, { source, time, final = false }: EventsReading): News | null {
    const id = idOf(record);
    if (id === null) return null;
    const stamped = toWholeNumber(record.ut);
    const own = stamped ?? time;
    const digest = hash('sha1', JSON.stringify(without(record, ['ut', 'events_incidents'])), 'base64');
    const before = this.#told.get(id);
    if (before === undefined)
      return { id, record, ut: final ? Math.max(own, time - SETTLE) : own, own, digest };
    // Out of some cache, or of a replica that is behind.
    if (own < before.ut) return null;
    if (!final) {
      if (before.hashes.get(source) === digest) return null;
      if (stamped === before.ut && !before.hashes.has(source)) {
        // The same record in another shape.
        before.hashes.set(source, digest);
        return null;
      }
    }
    const ut = own > before.told && !final ? own : Math.max(own, time - SETTLE);
    // Told in this second already: the next reading tells it with a later one.
    return ut > before.told ? { id, record, ut, own, digest } : null;
  }
}

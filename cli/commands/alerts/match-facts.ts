import type { Brokers } from '#streams/client/brokers.ts';
import { StreamError } from '#streams/errors.ts';
import { follow } from '#streams/read/follow.ts';
import { poll } from '#timing/poll.ts';
import type { Decoder } from '#topics/codec.ts';
import type { MatchState } from '#topics/generated/types.ts';
import type { KnownMatch } from './alert.ts';

/** How long a state may come later than its transition: both are of one transaction. */
const WITHIN_MS = 30_000;
const EVERY_MS = 5;

/** Name, competition, teams, status, goals and red cards of every match, as latest known. */
export class MatchFacts {
  readonly #matches = new Map<number, NonNullable<KnownMatch>>();
  readonly #caughtUp = Promise.withResolvers<void>();

  /** Follows match-state until `signal` is aborted. Rejects as `follow`. */
  follow(
    place: {
      readonly brokers: Brokers;
      readonly topic: string;
      readonly decoder: Decoder<MatchState>;
    },
    signal: AbortSignal,
  ): Promise<void> {
    return follow({
      brokers: place.brokers,
      reader: 'touchline-alerts',
      topics: [place.topic],
      signal,
      idleMs: 20,
      onCaughtUp: () => this.#caughtUp.resolve(),
      onBatch: async ({ records }) => {
        for (const { key, value } of records) {
          if (value === null) this.#matches.delete(Number(key));
          else this.#apply(await place.decoder.decode(value));
        }
      },
    }).finally(() => this.#caughtUp.resolve());
  }

  /** Resolves when all that was there at the start is read, and when the reading ends. */
  get caughtUp(): Promise<void> {
    return this.#caughtUp.promise;
  }

  /** What is known of a match now; null where nothing is. */
  latest(eventId: number): KnownMatch {
    return this.#matches.get(eventId) ?? null;
  }

  /** A match as of a version or later. Rejects with `StreamError` UNAVAILABLE where that has not been read in time. */
  async at(eventId: number, version: number): Promise<KnownMatch> {
    const look = () => {
      const known = this.latest(eventId);
      return known !== null && known.version >= version ? known : undefined;
    };
    const found = look() ?? (await poll(async () => look(), { timeoutMs: WITHIN_MS, everyMs: EVERY_MS }));
    if (found === undefined)
      throw new StreamError(
        'UNAVAILABLE',
        `match-state of event ${eventId} has not come to version ${version}`,
      );
    return found;
  }

  #apply(state: MatchState): void {
    const { event_id, version, name, competition_id, home, away, status_type, key_incidents } = state;
    this.#matches.set(event_id, { version, name, competition_id, home, away, status_type, key_incidents });
  }
}

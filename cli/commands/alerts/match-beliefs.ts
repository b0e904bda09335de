import type { Brokers } from '#streams/client/brokers.ts';
import { follow } from '#streams/read/follow.ts';
import type { Decoder } from '#topics/codec.ts';
import type { FeedHealth } from '#topics/generated/types.ts';
import { type Belief, HealthTable } from '#tradability/belief.ts';
import { isOver } from '#tradability/trading.ts';
import type { MatchFacts } from './match-facts.ts';

/** Whether each match may be believed, by feed-health and this machine's clocks. */
export class MatchBeliefs {
  readonly #table = new HealthTable();
  readonly #matches: MatchFacts;
  readonly #caughtUp = Promise.withResolvers<void>();

  constructor(matches: MatchFacts) {
    this.#matches = matches;
  }

  /** Follows feed-health until `signal` is aborted. Rejects as `follow`. */
  follow(
    place: {
      readonly brokers: Brokers;
      readonly topic: string;
      readonly decoder: Decoder<FeedHealth>;
    },
    signal: AbortSignal,
  ): Promise<void> {
    return follow({
      brokers: place.brokers,
      reader: 'touchline-alerts',
      topics: [place.topic],
      signal,
      onCaughtUp: () => this.#caughtUp.resolve(),
      onBatch: async ({ records }) => {
        for (const { key, value } of records)
          this.#table.apply(
            String(key),
            value === null ? null : await place.decoder.decode(value),
            performance.now(),
          );
      },
    }).finally(() => this.#caughtUp.resolve());
  }

  /** Resolves when all that was there at the start is read, of matches too, and when the reading ends. */
  async known(): Promise<void> {
    await Promise.all([this.#caughtUp.promise, this.#matches.caughtUp]);
  }

  /** Each match that has a record and is not over, with what may be believed of it now. */
  *now(): Generator<readonly [eventId: number, belief: Belief]> {
    const now = { wall: Date.now(), steady: performance.now() };
    for (const eventId of this.#table.events())
      if (!isOver(this.#matches.latest(eventId)?.status_type ?? null))
        yield [eventId, this.#table.match(eventId, now)];
  }
}

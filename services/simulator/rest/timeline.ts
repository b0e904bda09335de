import { LRUCache } from 'lru-cache';
import type { Dataset } from '../../../data/dataset.ts';
import type { MatchSettings } from '../match.ts';
import type { ProviderMessage } from '../records.ts';
import { playLength, type Stretch, schedule, simulateWave, type WavePlan, WaveTotals } from '../schedule.ts';

/** Maximum number of waves in memory: the current one, and those that a client reads again after an outage. */
const WAVES_IN_MEMORY = 3;

/** All messages by time. A season's do not fit in memory: a wave is simulated again on demand, with the same result. */
export class Timeline {
  readonly #waves: (WavePlan & Stretch)[] = [];
  readonly #cached: LRUCache<WavePlan, readonly ProviderMessage[]>;
  readonly totals = new WaveTotals();
  readonly stretches: readonly Stretch[] = this.#waves;
  /** Times of the first and the last message, Unix seconds. */
  readonly startsAt: number;
  readonly endsAt: number;
  /** Seconds of play, without the gaps between waves. */
  readonly length: number;

  /** Simulates everything once to know the times. `count`: number of matches to play. Throws `RangeError` without a match. */
  constructor({ competition, matches }: Dataset, matchSettings: MatchSettings, count?: number) {
    for (const wave of schedule({ competition, matches }, matchSettings, count)) {
      const { kickOff, facts, startsAt, endsAt } = wave;
      this.#waves.push({ kickOff, facts, startsAt, endsAt });
      this.totals.add(wave);
    }
    const [first, last] = [this.#waves[0], this.#waves.at(-1)];
    if (first === undefined || last === undefined) throw new RangeError('there is no match to play');
    this.startsAt = first.startsAt;
    this.endsAt = last.endsAt;
    this.length = playLength(this.#waves);
    this.#cached = new LRUCache({
      max: WAVES_IN_MEMORY,
      memoMethod: (wave) => simulateWave(wave, competition, matchSettings).messages,
    });
  }

  /** Yields the messages whose `ut` is in the window, both ends included, in order of publication. */
  *between(from: number, to: number): Generator<ProviderMessage> {
    for (const wave of this.#waves)
      if (wave.endsAt >= from && wave.startsAt <= to)
        for (const message of this.#cached.memo(wave))
          if (message.ut >= from && message.ut <= to) yield message;
  }
}

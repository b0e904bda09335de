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

  /** Simulates everything once to know the times. `count`: number of matches to play. Throws `RangeError` without a match. */
  constructor({ competition, matches }: Dataset, matchSettings: MatchSettings, count?: number) {
    for (const wave of schedule({ competition, matches }, matchSettings, count)) {
      const { kickOff, facts, startsAt, endsAt } = wave;
      this.#waves.push({ kickOff, facts, startsAt, endsAt });
      this.totals.add(wave);
    }
    if (this.#waves.length === 0) throw new RangeError('there is no match to play');
    this.#cached = new LRUCache({
      max: WAVES_IN_MEMORY,
      memoMethod: (wave) => simulateWave(wave, competition, matchSettings).messages,
    });
  }

  /** The stretches of play, in order. */
  get stretches(): readonly Stretch[] {
    return this.#waves;
  }

  /** Time of the first message, Unix seconds. */
  get startsAt(): number {
    return this.#waves[0]?.startsAt ?? 0;
  }

  /** Time of the last message, Unix seconds. */
  get endsAt(): number {
    return this.#waves.at(-1)?.endsAt ?? 0;
  }

  /** Seconds of play, without the gaps between waves. */
  get length(): number {
    return playLength(this.#waves);
  }

  /** Yields the messages whose `ut` is in the window, both ends included, in order of publication. */
  *between(from: number, to: number): Generator<ProviderMessage> {
    for (const wave of this.#waves)
      if (wave.endsAt >= from && wave.startsAt <= to)
        for (const message of this.#cached.memo(wave))
          if (message.ut >= from && message.ut <= to) yield message;
  }
}

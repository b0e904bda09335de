import { LRUCache } from 'lru-cache';
import type { Dataset } from '../../../data/dataset.ts';
import type { MatchSettings } from '../match.ts';
import type { ProviderMessage } from '../records.ts';
import { playLength, type Stretch, schedule, simulateWave, type WavePlan, WaveTotals } from '../schedule.ts';

/** Maximum number of waves in memory: the current one, and those that a client reads again after an outage. */
const WAVES_IN_MEMORY = 3;

export type Timeline = ReturnType<typeof createTimeline>;

/**
 * Returns all messages by time; simulates everything once to know the times. A season's messages do not fit in memory: a wave is simulated
 * again on demand, with the same result. `count`: number of matches to play. Throws `RangeError` without a match.
 */
export function createTimeline(
  { competition, matches }: Dataset,
  matchSettings: MatchSettings,
  count?: number,
) {
  const waves: (WavePlan & Stretch)[] = [];
  const totals = new WaveTotals();
  for (const wave of schedule({ competition, matches }, matchSettings, count)) {
    const { kickOff, facts, startsAt, endsAt } = wave;
    waves.push({ kickOff, facts, startsAt, endsAt });
    totals.add(wave);
  }
  const [first, last] = [waves[0], waves.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('there is no match to play');
  const cached = new LRUCache<WavePlan, readonly ProviderMessage[]>({
    max: WAVES_IN_MEMORY,
    memoMethod: (wave) => simulateWave(wave, competition, matchSettings).messages,
  });
  return {
    totals,
    stretches: waves as readonly Stretch[],
    /** Times of the first and the last message, Unix seconds. */
    startsAt: first.startsAt,
    endsAt: last.endsAt,
    /** Seconds of play, without the gaps between waves. */
    length: playLength(waves),
    /** Yields the messages whose `ut` is in the window, both ends included, in order of publication. */
    *between(from: number, to: number): Generator<ProviderMessage> {
      for (const wave of waves)
        if (wave.endsAt >= from && wave.startsAt <= to)
          for (const message of cached.memo(wave)) if (message.ut >= from && message.ut <= to) yield message;
    },
  };
}

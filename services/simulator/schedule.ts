import type { Competition, Dataset, MatchFacts } from '../../data/dataset.ts';
import { type Telling, type ToldMatch, tellMatch } from './match.ts';
import type { ProviderMessage } from './records.ts';

/** What a wave is told from. */
export type WavePlan = {
  readonly n: number;
  /** Unix seconds on the provider's clock, of its first match. */
  readonly kickOff: number;
  readonly facts: readonly MatchFacts[];
};

/** Matches that are played at the same time. */
export type Wave = WavePlan & {
  readonly matches: readonly ToldMatch[];
  /** Of all of them, by `ut`. */
  readonly messages: readonly ProviderMessage[];
  /** Unix seconds on the provider's clock: from the first message to the last. */
  readonly startsAt: number;
  readonly endsAt: number;
};

/** Matches of a wave kick off this many seconds apart, so that a board of them is not in step. */
const STAGGER = 60;
/** Seconds on the provider's clock between two waves, at least. */
const PAUSE = 900;

/**
 * Plays a data set: waves of matches in order of date, on one clock that never goes back. A wave ends where a team
 * would play twice in it, or the stage changes, so that no one plays two matches at once. It is played at the latest
 * kick-off of its matches: nothing is told before its time, while the earlier ones of a round wait for the last.
 * `count` plays the first matches only.
 */
export function* schedule(
  { competition, matches }: Dataset,
  telling: Telling,
  count = matches.length,
): Generator<Wave> {
  let clock = 0;
  for (const [n, facts] of waves(matches.slice(0, count)).entries()) {
    const kickOff = Math.max(clock + PAUSE, ...facts.map(kickOffOf));
    const wave = tellWave({ n, kickOff, facts }, competition, telling);
    clock = wave.endsAt;
    yield wave;
  }
}

/** Tells a wave: a function of its arguments, so that what was told once need not be kept. */
export function tellWave(plan: WavePlan, competition: Competition, telling: Telling): Wave {
  const { kickOff, facts } = plan;
  const matches = facts.map((match, i) => tellMatch(match, competition, kickOff + i * STAGGER, telling));
  const messages = matches.flatMap((match) => match.messages).sort((a, b) => a.ut - b.ut);
  const startsAt = messages[0]?.ut ?? kickOff;
  const endsAt = messages.at(-1)?.ut ?? kickOff;
  return { ...plan, matches, messages, startsAt, endsAt };
}

function waves(matches: readonly MatchFacts[]): MatchFacts[][] {
  const result: MatchFacts[][] = [];
  let playing = new Set<number>();
  let stage: number | undefined;
  for (const match of matches) {
    const wave = result.at(-1);
    const fits = match.stage === stage && !playing.has(match.home) && !playing.has(match.away);
    if (fits && wave !== undefined) wave.push(match);
    else {
      result.push([match]);
      playing = new Set();
    }
    stage = match.stage;
    playing.add(match.home).add(match.away);
  }
  return result;
}

function kickOffOf(match: MatchFacts): number {
  return Date.parse(match.date) / 1000;
}

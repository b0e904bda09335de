import type { Competition, Dataset, MatchFacts } from '../../data/dataset.ts';
import type { ContentFault } from './faults.ts';
import { type MatchSettings, type SimulatedMatch, simulateMatch } from './match.ts';
import type { ProviderMessage } from './records.ts';

/** The plan that a wave is simulated from. */
export type WavePlan = {
  readonly n: number;
  /** Unix seconds on the provider's clock, of its first match. */
  readonly kickOff: number;
  readonly facts: readonly MatchFacts[];
};

/** Matches that are played at the same time. */
export type Wave = WavePlan & {
  readonly matches: readonly SimulatedMatch[];
  /** Of all of them, by `ut`. */
  readonly messages: readonly ProviderMessage[];
  /** Unix seconds on the provider's clock: from the first message to the last. */
  readonly startsAt: number;
  readonly endsAt: number;
};

/** Seconds of play, the gaps between waves left out. */
export function playLength(waves: Iterable<Pick<Wave, 'startsAt' | 'endsAt'>>): number {
  let length = 0;
  for (const { startsAt, endsAt } of waves) length += endsAt - startsAt;
  return length;
}

/** How much is in some waves: matches, messages each counted once, and invented faults by kind. */
export class WaveTotals {
  matches = 0;
  messages = 0;
  readonly invented: Partial<Record<ContentFault, number>> = {};

  add({ matches, messages }: Wave): void {
    this.matches += matches.length;
    this.messages += messages.length;
    for (const { invented } of matches)
      for (const [kind, count] of Object.entries(invented) as [ContentFault, number][])
        this.invented[kind] = (this.invented[kind] ?? 0) + count;
  }
}

/** Matches of a wave kick off this many seconds apart, so that a board of them is not in step. */
const STAGGER = 60;
/** Seconds on the provider's clock between two waves, at least. */
const PAUSE = 900;

/**
 * Plays a data set: waves of matches in order of date, on one clock that never goes back. A wave ends where a team
 * would play twice in it, or the stage changes, so that no one plays two matches at once. It is played at the latest
 * kick-off of its matches: no match starts before its date, the earlier ones of a round wait for the last.
 * `count` plays the first matches only.
 */
export function* schedule(
  { competition, matches }: Dataset,
  matchSettings: MatchSettings,
  count = matches.length,
): Generator<Wave> {
  let clock = 0;
  for (const [n, facts] of waves(matches.slice(0, count)).entries()) {
    const kickOff = Math.max(clock + PAUSE, ...facts.map(kickOffOf));
    const wave = simulateWave({ n, kickOff, facts }, competition, matchSettings);
    clock = wave.endsAt;
    yield wave;
  }
}

/** Simulates a wave: a pure function, so its messages can be recomputed instead of stored. */
export function simulateWave(plan: WavePlan, competition: Competition, matchSettings: MatchSettings): Wave {
  const { kickOff, facts } = plan;
  const matches = facts.map((match, i) =>
    simulateMatch(match, competition, kickOff + i * STAGGER, matchSettings),
  );
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

import type { Competition, Dataset, MatchFacts } from '../../data/dataset.ts';
import type { ContentFault } from './faults.ts';
import { type MatchSettings, type SimulatedMatch, simulateMatch } from './match.ts';
import type { ProviderMessage } from './records.ts';

export type WavePlan = {
  /** Kick-off of its first match, Unix seconds of the provider's clock. */
  readonly kickOff: number;
  readonly facts: readonly MatchFacts[];
};

/** From the first to the last message, Unix seconds of the provider's clock, which jumps between two stretches. */
export type Stretch = { readonly startsAt: number; readonly endsAt: number };

/** Matches that are played at the same time. */
export type Wave = WavePlan &
  Stretch & {
    readonly matches: readonly SimulatedMatch[];
    readonly messages: readonly ProviderMessage[];
  };

/** Returns the seconds of play, without the gaps between waves. */
export function playLength(waves: Iterable<Stretch>): number {
  return Iterator.from(waves).reduce((length, { startsAt, endsAt }) => length + endsAt - startsAt, 0);
}

/** Totals of waves: matches, messages, and invented faults by kind. */
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

/** Seconds between the kick-offs of a wave, so that its matches are not in step. */
const STAGGER_SECONDS = 60;
/** Minimum pause between two waves, seconds of the provider's clock. */
const PAUSE_SECONDS = 900;

/** Yields a data set's first `count` matches as waves, on one clock: no team plays twice in one, none begins before its date. */
export function* schedule(
  { competition, matches }: Dataset,
  matchSettings: MatchSettings,
  count = matches.length,
): Generator<Wave> {
  let clock = 0;
  for (const facts of waves(matches.slice(0, count))) {
    const kickOff = Math.max(clock + PAUSE_SECONDS, ...facts.map(({ date }) => Date.parse(date) / 1000));
    const wave = simulateWave({ kickOff, facts }, competition, matchSettings);
    clock = wave.endsAt;
    yield wave;
  }
}

/** Simulates a wave. Pure, so that its messages can be computed again instead of stored. */
export function simulateWave(
  { kickOff, facts }: WavePlan,
  competition: Competition,
  matchSettings: MatchSettings,
): Wave {
  const matches = facts.map((match, i) =>
    simulateMatch(match, competition, kickOff + i * STAGGER_SECONDS, matchSettings),
  );
  const messages = matches.flatMap((match) => match.messages).sort((a, b) => a.ut - b.ut);
  const [startsAt, endsAt] = [messages[0]?.ut ?? kickOff, messages.at(-1)?.ut ?? kickOff];
  return { kickOff, facts, matches, messages, startsAt, endsAt };
}

function waves(matches: readonly MatchFacts[]): MatchFacts[][] {
  const result: MatchFacts[][] = [];
  for (const match of matches) {
    const wave = result.at(-1) ?? [];
    const collides = ({ stage, home, away }: MatchFacts): boolean =>
      stage !== match.stage || [home, away].some((team) => team === match.home || team === match.away);
    if (wave.length > 0 && !wave.some(collides)) wave.push(match);
    else result.push([match]);
  }
  return result;
}

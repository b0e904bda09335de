import type { EventParticipant } from '#records/types.ts';
import { RESULT } from '#soccer/soccer.ts';
import { hasRulesOfGoals } from './goal-rules.ts';

/** The result of one part, as the provider writes it; null where it says nothing of a side. */
export type PeriodResult = {
  readonly name: string;
  readonly home: string | null;
  readonly away: string | null;
};

/** Names of the results of a participant by id, in all sports, from the provider's PHP client of 2019 (MIT licence). It has more. */
const RESULT_NAMES: ReadonlyMap<number, string> = new Map([
  [3, 'Regular time'],
  [4, 'First half'],
  [5, 'Second half'],
  [7, 'Penalty'],
  [43, 'First set'],
  [44, 'Second set'],
  [45, 'Third set'],
  [46, 'Fourth set'],
  [47, 'Fifth set'],
  [50, 'First quarter'],
  [51, 'Second quarter'],
  [52, 'Third quarter'],
  [53, 'Fourth quarter'],
  [104, 'Overtime'],
  [115, 'Current game points'],
  [116, '1st set tb points'],
  [117, '2nd set tb points'],
  [118, '3rd set tb points'],
  [119, '4th set tb points'],
  [120, '5th set tb pts'],
  [627, 'S.tiebreak points'],
  [702, 'First overtime'],
  [703, 'Second overtime'],
  [704, 'Third overtime'],
  [705, 'Fourth overtime'],
  [715, 'Fifth overtime'],
]);

/** Results of the whole match, which have their own places. */
const WHOLE: ReadonlySet<number> = new Set([RESULT.score, RESULT.winner, RESULT.progress]);

/** Returns the results of a match's parts in the provider's order, from its event's `participants`; none in soccer. */
export function periodResults(
  sportId: number | null,
  participants: readonly EventParticipant[],
): PeriodResult[] {
  if (hasRulesOfGoals(sportId)) return [];
  const parts = new Map<number, { name: string; home: string | null; away: string | null }>();
  for (const { counter, results } of participants) {
    if (counter !== 1 && counter !== 2) continue;
    for (const { id, value, name: own } of results) {
      if (WHOLE.has(id) || value === null || value === '') continue;
      const name = own || (RESULT_NAMES.get(id) ?? `Result ${id}`);
      const part = parts.get(id) ?? { name, home: null, away: null };
      part[counter === 1 ? 'home' : 'away'] = value;
      parts.set(id, part);
    }
  }
  return [...parts.values()];
}

/** Returns the result of a part in words, such as `First quarter 23–22`. */
export function periodWords({ name, home, away }: PeriodResult): string {
  return `${name} ${home ?? '?'}–${away ?? '?'}`;
}

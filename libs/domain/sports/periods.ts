import type { EventParticipant } from '#records/types.ts';
import { RESULT_NAMES_OF_SPORTS } from '#soccer/result-names.ts';
import { RESULT } from '#soccer/soccer.ts';
import { hasRulesOfGoals } from './table.ts';

/** The result of one part, as the provider writes it; null where it says nothing of a side. */
export type PeriodResult = {
  readonly name: string;
  readonly home: string | null;
  readonly away: string | null;
};

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
      const name = own || (RESULT_NAMES_OF_SPORTS.get(id) ?? `Result ${id}`);
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

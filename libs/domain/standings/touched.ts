import { isDeepStrictEqual } from 'node:util';
import { TABLE_TYPES, type TableKind } from './columns.ts';
import type { Game } from './games.ts';

const ALL: readonly TableKind[] = [...TABLE_TYPES.keys()];
/** Tables that count scheduled matches. */
const SCHEDULED: readonly TableKind[] = ['team_overall_stats', 'overall_stats'];
const HALVES: readonly TableKind[] = ['halftime', 'second_half', ...SCHEDULED];

/**
 * The tables that a match may have changed by becoming `after`; null: it did not exist, or no longer does. All other
 * tables have the same input as before. `byCards`: cards may decide the ranking of teams.
 */
export function touchedBy(before: Game | null, after: Game | null, byCards: boolean): readonly TableKind[] {
  if (before === null && after === null) return [];
  if (before === null || after === null || !isSameMatch(before, after)) return ALL;
  const states = new Set([before.state, after.state]);
  if (states.has('played')) return states.size === 1 ? touchedByPlayed(before, after, byCards) : ALL;
  const kinds: TableKind[] = [];
  if (states.has('playing')) kinds.push('live');
  if (states.has('to_come') && states.size === 2) kinds.push(...SCHEDULED);
  return kinds;
}

/** A played match counts in every table, but a half, a goal or a card mostly in tables of its kind alone. */
function touchedByPlayed(before: Game, after: Game, byCards: boolean): readonly TableKind[] {
  const same = (part: keyof Game) => isDeepStrictEqual(before[part], after[part]);
  if (!same('score') || !same('round')) return ALL;
  const kinds: TableKind[] = [];
  if (!same('firstHalf') || !same('secondHalf')) kinds.push(...HALVES);
  if (!same('goals')) kinds.push('top_scorers', 'assists', 'assists_115');
  if (!same('cards')) {
    if (byCards) return ALL;
    kinds.push('cards');
  }
  return kinds;
}

function isSameMatch(a: Game, b: Game): boolean {
  return a.start === b.start && isDeepStrictEqual([a.home, a.away], [b.home, b.away]);
}

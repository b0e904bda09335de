import type { Score } from '#records/types.ts';
import type { TieRule } from './competition-rules.ts';

/** A match of a tie. `score`: extra time included. */
export type TieLeg = {
  readonly home: number | null;
  readonly score: Score | null;
  readonly shoot_out: Score | null;
};

/** Who advances from a tie; `undecided`: all its goals are level and no known rule decides. */
export type TieOutcome = { readonly winner: number } | 'undecided' | 'unknown_score';

/** The rule of ties without rules of their own: only a shoot-out decides level goals. */
const DEFAULT_LEVEL: TieRule['level'] = ['shoot_out'];

/** Returns the rule of the ties of a stage: the entry that names the stage, else the one for all others. */
export function levelRule(ties: readonly TieRule[], stageId: number): TieRule['level'] {
  const own = ties.find(({ stage_ids }) => stage_ids?.includes(stageId));
  return (own ?? ties.find(({ stage_ids }) => stage_ids === null))?.level ?? DEFAULT_LEVEL;
}

/** Returns who advances from a tie that is over: by goals, then by the rule's steps. `legs`: in the order of play. */
export function tieOutcome(
  [a, b]: readonly [number, number],
  legs: readonly TieLeg[],
  level: TieRule['level'],
): TieOutcome {
  // A match that was played again does not count.
  const counting = level.includes('replay') ? legs.slice(-1) : legs;
  const last = counting.at(-1);
  if (last === undefined || counting.some(({ score }) => score === null)) return 'unknown_score';
  const [ofA, ofB] = [goalsOf(counting, a), goalsOf(counting, b)];
  const better = (forA: number, forB: number): TieOutcome | null =>
    forA === forB ? null : { winner: forA > forB ? a : b };
  const byGoals = better(ofA.all, ofB.all);
  if (byGoals !== null) return byGoals;
  const decide = (step: TieRule['level'][number]): TieOutcome | null => {
    if (step === 'replay') return null;
    // In a single match nobody played both at home and away.
    if (step === 'away_goals') return counting.length < 2 ? null : better(ofA.away, ofB.away);
    if (step === 'shoot_out') return better(kicksOf(last, a), kicksOf(last, b));
    const lists = 'listed' in step ? step.listed : step.drawing_of_lots;
    const list = lists.find((ids) => ids.includes(a) && ids.includes(b));
    return list === undefined ? null : better(-list.indexOf(a), -list.indexOf(b));
  };
  for (const step of level) {
    const decided = decide(step);
    if (decided !== null) return decided;
  }
  return 'undecided';
}

/** Returns a team's goals in all legs, and those in legs away from home. */
function goalsOf(legs: readonly TieLeg[], id: number): { readonly all: number; readonly away: number } {
  let [atHome, away] = [0, 0];
  for (const { home, score } of legs) {
    if (home === id) atHome += score?.home ?? 0;
    else away += score?.away ?? 0;
  }
  return { all: atHome + away, away };
}

function kicksOf(leg: TieLeg, id: number): number {
  return leg.shoot_out?.[leg.home === id ? 'home' : 'away'] ?? 0;
}

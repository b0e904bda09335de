import { STATUS } from '#contract/soccer.ts';
import type { Agreement, Guard } from '#topics/generated/types.ts';
import { isOver } from './event-facts.ts';
import type { LastOf, Signal } from './signals.ts';

/** Why trading may not act on the score, in the order in which the guard lists reasons. */
export const GUARD_REASONS = [
  'under_review',
  'possible_goal',
  'possible_card',
  'possible_penalty',
  'possible_var',
  'game_break',
  'bet_suspended',
  'score_differs',
  'interrupted',
] as const;

export type GuardReason = (typeof GUARD_REASONS)[number];

/** The input of law 9. */
export type GuardInputs = {
  readonly underReview: boolean;
  readonly agreement: Agreement;
  readonly statusId: number | null;
  readonly statusType: string | null;
  readonly betStatus: string | null;
  readonly last: LastOf;
};

/**
 * Law 9: whether trading may act, and if not, why. A function of the reported data, never of a clock: readers judge
 * staleness by the stamps.
 */
export function guardOf({
  underReview,
  agreement,
  statusId,
  statusType,
  betStatus,
  last,
}: GuardInputs): Guard {
  const over = isOver(statusType);
  const open = (possible: Signal, decided: Signal): boolean =>
    !over && isLater(last[possible], last[decided]);
  const holds: Readonly<Record<GuardReason, boolean>> = {
    under_review: underReview,
    possible_goal: open('possible_goal', 'goal_decided'),
    possible_card: open('possible_card', 'card_decided'),
    possible_penalty: open('possible_penalty', 'penalty_decided'),
    possible_var: open('possible_var', 'var_decided'),
    game_break: statusType === 'live' && isLater(last.game_break, last.play),
    bet_suspended: betStatus === 'suspended' && !over,
    score_differs: agreement === 'differs',
    interrupted:
      statusType === 'interrupted' ||
      statusId === STATUS.interrupted ||
      statusId === STATUS.abandoned ||
      isLater(last.interruption, last.other_status),
  };
  const reasons = GUARD_REASONS.filter((reason) => holds[reason]);
  return { safe: reasons.length === 0, reasons };
}

/** Whether two guards are equal. */
export function sameGuard(a: Guard, b: Guard): boolean {
  return (
    a === b ||
    (a.reasons.length === b.reasons.length && a.reasons.every((reason, i) => reason === b.reasons[i]))
  );
}

/** Whether a signal of the kind was given, with none of `other` after it in id order. */
function isLater(id: string | undefined, other: string | undefined): boolean {
  return id !== undefined && (other === undefined || id > other);
}

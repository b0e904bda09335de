import type { Guard, MatchState } from '#records/types.ts';
import { STATUS } from '#soccer/soccer.ts';
import { isOver } from '#trading/trading.ts';
import type { EventFacts } from './event-facts.ts';
import type { GoalTally, KnownIncident } from './goals.ts';
import { isAwarded, isFinished } from './message-key.ts';
import { DECIDED, HAPPENED, SIGNALS, type Signal, type SignalTable } from './sports/goal-rules.ts';

export type { Signal };

/** The id of the last incident that gives each signal. */
export type LastOf = { [S in Signal]?: string | undefined };

const BY_TYPE = signalsByType(HAPPENED, DECIDED);
/** A cancelled decision decides too: against what it would have decided. */
const BY_CANCELLED_TYPE = signalsByType(DECIDED);
const NO_SIGNALS: readonly Signal[] = [];

/** Returns the signals that an incident gives. A removed incident gives none. */
export function signalsOf({
  incident,
  removed,
}: Pick<KnownIncident, 'incident' | 'removed'>): readonly Signal[] {
  if (incident === null || removed) return NO_SIGNALS;
  const signals = incident.confirmation === 'cancelled' ? BY_CANCELLED_TYPE : BY_TYPE;
  return signals.get(incident.incident_id) ?? NO_SIGNALS;
}

function signalsByType(...tables: readonly SignalTable[]): ReadonlyMap<number, readonly Signal[]> {
  const signals = new Map<number, Signal[]>();
  for (const signal of SIGNALS) {
    for (const type of tables.flatMap((table) => table[signal] ?? [])) {
      signals.set(type, [...(signals.get(type) ?? []), signal]);
    }
  }
  return signals;
}

/** The reasons why trading may not act on a score, in the order in which a guard lists them. */
export const GUARD_REASONS = {
  under_review: 'A goal that counts, or a disallowance that names one, awaits confirmation.',
  possible_goal: 'A possible goal was reported and is not decided yet.',
  possible_card: 'A possible card was reported and is not decided yet.',
  possible_penalty: 'A possible penalty was reported and is not decided yet.',
  possible_var: 'A video review is possible or under way.',
  game_break: 'An incident interrupts play, e.g. a penalty or half-time.',
  bet_suspended: 'The provider suspended betting.',
  score_differs: 'The score derived from the incidents differs from the result that the provider reports.',
  interrupted: 'The match is interrupted or abandoned.',
  missing_from_list:
    'The provider’s latest list omits a goal, or what cancelled one, and its removal is not proven.',
  unread_message: 'A message of the match could not be read.',
  score_unknown: 'The match is live or awarded, and its score is unknown.',
  status_went_back:
    'A finished match is reported as not started, or a goal counts from before the match was last reported as not started.',
  unexplained_cancellation:
    'A goal was cancelled, and no known goal fits the cancellation, or the goal was confirmed after it.',
  event_missing: 'The provider no longer has the match, or an operator ended it.',
};

/** A reason of a guard. */
export type GuardReason = keyof typeof GUARD_REASONS;

/** A few words for each reason, a part of a sentence, for every surface that people read. */
export const GUARD_WORDS: Readonly<Record<GuardReason, string>> = {
  under_review: 'score under review',
  possible_goal: 'possible goal',
  possible_card: 'possible card',
  possible_penalty: 'possible penalty',
  possible_var: 'video review',
  game_break: 'play is stopped',
  bet_suspended: 'betting suspended',
  score_differs: 'score differs from the provider’s',
  interrupted: 'match interrupted',
  missing_from_list: 'not on the provider’s latest list',
  unread_message: 'a message could not be read',
  score_unknown: 'score unknown',
  status_went_back: 'the match was reported as not started again',
  unexplained_cancellation: 'unclear which goal was cancelled',
  event_missing: 'the provider no longer has the match',
};

/** The input of law 9. Times are Unix seconds. */
export type GuardInputs = {
  readonly facts: Pick<EventFacts, 'status_id' | 'status_type' | 'bet_status' | 'verified_result'>;
  readonly tally: Pick<GoalTally, 'underReview' | 'missing' | 'unexplainedAt'>;
  readonly final: Readonly<Pick<MatchState, 'score' | 'source' | 'agreement'>>;
  readonly last: LastOf;
  /** When the last interruption was written; null without one. */
  readonly interruptedAt: number | null;
  /** When the status was last reported; null if it never was. */
  readonly statusAt: number | null;
  /** When the results of both sides were last reported; null if they never were. */
  readonly resultsAt: number | null;
  /** Time of the latest list of incidents; null without one. */
  readonly snapshotAt: number | null;
  /** When the latest message that could not be read was written; null without one. */
  readonly unreadAt: number | null;
  readonly wentBack: boolean;
  /** Whether an absence of the match stands (law 2). */
  readonly absent: boolean;
};

/** Law 9: decides whether trading may act, and why not. Reads no clock: readers judge staleness by the stamps. */
export function guardOf(inputs: GuardInputs): Guard {
  const { last, final, tally } = inputs;
  const { status_id, status_type, bet_status, verified_result } = inputs.facts;
  const over = isOver(status_type);
  const isSettled = verified_result === true && isFinished(status_id, status_type);
  // In the order of `GUARD_REASONS`. Runs for every message.
  const reasons: GuardReason[] = [];
  if (tally.underReview) reasons.push('under_review');
  if (!over) {
    if (isLater(last.possible_goal, last.goal_decided)) reasons.push('possible_goal');
    if (isLater(last.possible_card, last.card_decided)) reasons.push('possible_card');
    if (isLater(last.possible_penalty, last.penalty_decided)) reasons.push('possible_penalty');
    if (isLater(last.possible_var, last.var_decided)) reasons.push('possible_var');
  }
  if (status_type === 'live' && isLater(last.game_break, last.play)) reasons.push('game_break');
  if (!over && bet_status === 'suspended') reasons.push('bet_suspended');
  if (final.agreement === 'differs' && !isSettled) reasons.push('score_differs');
  if (isInterrupted(inputs)) reasons.push('interrupted');
  if (tally.missing) reasons.push('missing_from_list');
  if (isUnread(inputs)) reasons.push('unread_message');
  if ((status_type === 'live' || isAwarded(status_id)) && final.score === null) reasons.push('score_unknown');
  if (inputs.wentBack) reasons.push('status_went_back');
  if (tally.unexplainedAt !== null && !hasAgreedSince(tally.unexplainedAt, inputs))
    reasons.push('unexplained_cancellation');
  if (inputs.absent) reasons.push('event_missing');
  return { safe: reasons.length === 0, reasons };
}

/** An interruption ends with the next status, with play, or with a later report of a live phase. */
function isInterrupted({ facts, last, interruptedAt, statusAt }: GuardInputs): boolean {
  const { status_id, status_type } = facts;
  if (status_type === 'interrupted' || status_id === STATUS.interrupted || status_id === STATUS.abandoned)
    return true;
  if (!isLater(last.interruption, last.other_status) || !isLater(last.interruption, last.play)) return false;
  const isBack =
    status_type === 'live' && statusAt !== null && interruptedAt !== null && statusAt > interruptedAt;
  return !isBack;
}

/** Whether a message that could not be read may still be missing in the score. */
function isUnread(inputs: GuardInputs): boolean {
  const { unreadAt, snapshotAt } = inputs;
  if (unreadAt === null || (snapshotAt !== null && snapshotAt >= unreadAt)) return false;
  return !hasAgreedSince(unreadAt, inputs);
}

/** Whether the provider reported a result after `ut` that confirms the score, or that is the score. */
function hasAgreedSince(ut: number, { resultsAt, final }: GuardInputs): boolean {
  return (
    resultsAt !== null && resultsAt > ut && (final.agreement === 'agrees' || final.source === 'reported')
  );
}

/** Whether the incident `id` exists, and `other` does not follow it in the order of ids. */
function isLater(id: string | undefined, other: string | undefined): boolean {
  return id !== undefined && (other === undefined || id > other);
}

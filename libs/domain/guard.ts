import { INCIDENT_TYPES_OF_SOCCER } from '#contract/incident-types.ts';
import { INCIDENT, POSSIBLE_INCIDENTS, STATUS } from '#contract/soccer.ts';
import type { Agreement, Guard } from '#topics/generated/types.ts';
import { isOver } from '#tradability/trading.ts';
import type { KnownIncident } from './goals.ts';

/**
 * The signals that incidents give to the trading guard. Law 9 reads only the last incident of each signal in the order of
 * ids, so that a message costs the same however long the timeline is.
 */
const SIGNALS = [
  'possible_goal',
  'possible_card',
  'possible_penalty',
  'possible_var',
  'goal_decided',
  'card_decided',
  'penalty_decided',
  'var_decided',
  'game_break',
  'play',
  'interruption',
  'other_status',
] as const;

export type Signal = (typeof SIGNALS)[number];

/** The id of the last incident that gives each signal. */
export type LastOf = { [S in Signal]?: string | undefined };

type Table = Readonly<Partial<Record<Signal, readonly number[]>>>;

const PERIOD_STARTS = [
  INCIDENT.firstHalfStarted,
  INCIDENT.secondHalfStarted,
  INCIDENT.extraTimeFirstHalfStarted,
  INCIDENT.extraTimeSecondHalfStarted,
  INCIDENT.shootOutStarted,
];
const PERIOD_ENDS = [
  INCIDENT.halftime,
  INCIDENT.waitingForExtraTime,
  INCIDENT.extraTimeHalftime,
  INCIDENT.waitingForPenalty,
];
const FINISHES = [
  INCIDENT.finishedAfterExtraTime,
  INCIDENT.finishedAfterPenalties,
  INCIDENT.finishedAwardedWin,
  INCIDENT.finishedRegularTime,
];

/** Incident types of a team outside of play: they do not show that play was resumed. */
const OUTSIDE_PLAY: ReadonlySet<number> = new Set([
  INCIDENT.injury,
  INCIDENT.redCard,
  INCIDENT.yellowCard,
  INCIDENT.goalCancelled,
  INCIDENT.substitutionOut,
  INCIDENT.substitutionIn,
  ...POSSIBLE_INCIDENTS,
]);

const TYPES = [...INCIDENT_TYPES_OF_SOCCER.values()];
const GAME_BREAKS = TYPES.filter(({ gameBreak }) => gameBreak).map(({ id }) => id);
const PLAY = TYPES.filter(
  ({ id, type, gameBreak }) => type === 'team' && !gameBreak && !OUTSIDE_PLAY.has(id),
);

/** Incidents of play and of pending decisions. A cancelled one did not happen. */
const HAPPENED: Table = {
  possible_goal: [INCIDENT.possibleGoal],
  possible_card: [INCIDENT.possibleCard],
  possible_penalty: [INCIDENT.possiblePenalty],
  possible_var: [INCIDENT.possibleVar],
  game_break: GAME_BREAKS,
  play: [...PLAY.map(({ id }) => id), ...PERIOD_STARTS],
  interruption: [INCIDENT.interrupted, INCIDENT.abandoned],
  other_status: [
    INCIDENT.notStarted,
    INCIDENT.startDelayed,
    INCIDENT.cancelled,
    INCIDENT.postponed,
    INCIDENT.toFinish,
    ...PERIOD_STARTS,
    ...PERIOD_ENDS,
    ...FINISHES,
  ],
};

/** Incidents that decide a pending one. A cancelled one decides too: against it. */
const DECIDED: Table = {
  goal_decided: [
    INCIDENT.goal,
    INCIDENT.penaltyGoal,
    INCIDENT.ownGoal,
    INCIDENT.goalCancelled,
    INCIDENT.kickOff,
    ...PERIOD_STARTS,
    ...PERIOD_ENDS,
    ...FINISHES,
  ],
  card_decided: [
    INCIDENT.redCard,
    INCIDENT.yellowCard,
    INCIDENT.possibleCardCancelled,
    ...PERIOD_STARTS,
    ...FINISHES,
  ],
  penalty_decided: [
    INCIDENT.penalty,
    INCIDENT.penaltyGoal,
    INCIDENT.missedPenalty,
    INCIDENT.possiblePenaltyCancelled,
    ...PERIOD_STARTS,
    ...FINISHES,
  ],
  var_decided: [INCIDENT.varEnded, ...PERIOD_STARTS, ...FINISHES],
};

const BY_TYPE = signalsByType([HAPPENED, DECIDED]);
const BY_CANCELLED_TYPE = signalsByType([DECIDED]);
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

function signalsByType(tables: readonly Table[]): ReadonlyMap<number, readonly Signal[]> {
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
};

type GuardReason = keyof typeof GUARD_REASONS;

/** The input of law 9. */
type GuardInputs = {
  readonly underReview: boolean;
  readonly agreement: Agreement;
  readonly statusId: number | null;
  readonly statusType: string | null;
  readonly betStatus: string | null;
  readonly last: LastOf;
};

/**
 * Law 9: decides whether trading may act, and why not. Reads no clock, since a replay must give the same bytes: readers judge
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
  // In the order of `GUARD_REASONS`.
  const reasons: GuardReason[] = [];
  if (underReview) reasons.push('under_review');
  if (!over) {
    if (isLater(last.possible_goal, last.goal_decided)) reasons.push('possible_goal');
    if (isLater(last.possible_card, last.card_decided)) reasons.push('possible_card');
    if (isLater(last.possible_penalty, last.penalty_decided)) reasons.push('possible_penalty');
    if (isLater(last.possible_var, last.var_decided)) reasons.push('possible_var');
  }
  if (statusType === 'live' && isLater(last.game_break, last.play)) reasons.push('game_break');
  if (betStatus === 'suspended' && !over) reasons.push('bet_suspended');
  if (agreement === 'differs') reasons.push('score_differs');
  const isInterrupted =
    statusType === 'interrupted' ||
    statusId === STATUS.interrupted ||
    statusId === STATUS.abandoned ||
    isLater(last.interruption, last.other_status);
  if (isInterrupted) reasons.push('interrupted');
  return { safe: reasons.length === 0, reasons };
}

/** Whether two guards are equal. */
export function sameGuard(a: Guard, b: Guard): boolean {
  return (
    a === b ||
    (a.reasons.length === b.reasons.length && a.reasons.every((reason, i) => reason === b.reasons[i]))
  );
}

/** Whether the incident `id` exists, and `other` does not follow it in the order of ids. */
function isLater(id: string | undefined, other: string | undefined): boolean {
  return id !== undefined && (other === undefined || id > other);
}

import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { INCIDENT, POSSIBLE_INCIDENTS } from '#soccer/soccer.ts';
import type { GoalRules, SignalTable } from './goal-rules.ts';

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
const HAPPENED: SignalTable = {
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
const DECIDED: SignalTable = {
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

export const SOCCER_GOALS: GoalRules = {
  goals: [INCIDENT.goal, INCIDENT.penaltyGoal, INCIDENT.ownGoal],
  own_goals: [INCIDENT.ownGoal],
  cancellations: [INCIDENT.goalCancelled],
  red_cards: [INCIDENT.redCard],
  yellow_cards: [INCIDENT.yellowCard],
  starts: [INCIDENT.notStarted, INCIDENT.firstHalfStarted],
  counts_for: new Map(TYPES.map((type) => [type.id, type.for])),
  happened: HAPPENED,
  decided: DECIDED,
};

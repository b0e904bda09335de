/** What the laws of goals and of the guard know of the incidents of soccer, as data. */
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { INCIDENT, POSSIBLE_INCIDENTS, SOCCER } from '#soccer/soccer.ts';

/** The signals of incidents for the guard. Law 9 reads the last of each alone: a message costs the same in a long timeline. */
export const SIGNALS = [
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

/** Types of incidents by the signal that they give. */
export type SignalTable = Readonly<Partial<Record<Signal, readonly number[]>>>;

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
export const HAPPENED: SignalTable = {
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
export const DECIDED: SignalTable = {
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

/** Whose goal a type is where the incident does not say it: the participant's own, the other side's (rival), nobody's. */
export const COUNTS_FOR: ReadonlyMap<number, string> = new Map(TYPES.map((type) => [type.id, type.for]));

/**
 * Whether the laws of goals apply to a sport. An unknown one counts as soccer: types belong to one sport. In every other sport the
 * score is the provider's result, and no type has a meaning.
 */
export function hasRulesOfGoals(sportId: number | null): boolean {
  return sportId === null || sportId === SOCCER;
}

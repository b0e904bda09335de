/** What the laws of goals and of the guard know of a sport: one table for each, as data. */
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

/** Whose goal an incident is: the participant's own, the other side's, nobody's. */
type CountsFor = 'all' | 'own' | 'rival' | 'none';

/** The types of incidents that the laws read in a sport. A type belongs to one sport alone. */
type GoalRules = {
  /** Goals, in play or in the shoot-out. */
  readonly goals: readonly number[];
  /** Goals of a team's own player for the other side. */
  readonly own_goals: readonly number[];
  /** What cancels a goal. */
  readonly cancellations: readonly number[];
  readonly red_cards: readonly number[];
  readonly yellow_cards: readonly number[];
  /** What shows that the timeline is reported from its start. */
  readonly starts: readonly number[];
  /** Whose goal a type is where the incident does not say it. */
  readonly counts_for: ReadonlyMap<number, CountsFor>;
  /** Signals of what happened. A cancelled incident gives none. */
  readonly happened: SignalTable;
  /** Signals of decisions. A cancelled one decides too: against what it would have decided. */
  readonly decided: SignalTable;
};

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

const SOCCER_GOALS: GoalRules = {
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

/** The sports whose goals are derived, by id. In every other sport the score is the provider's result, and no type has a meaning. */
export const GOAL_RULES: ReadonlyMap<number, GoalRules> = new Map([[SOCCER, SOCCER_GOALS]]);

/** Whether the laws of goals apply to a sport. An unknown one counts as soccer: types belong to one sport. */
export function hasRulesOfGoals(sportId: number | null): boolean {
  return GOAL_RULES.has(sportId ?? SOCCER);
}

/** Returns the types of one kind in all sports. */
export function typesOf(
  kind: 'goals' | 'own_goals' | 'cancellations' | 'red_cards' | 'yellow_cards' | 'starts',
): ReadonlySet<number> {
  return new Set([...GOAL_RULES.values()].flatMap((rules) => rules[kind]));
}

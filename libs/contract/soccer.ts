/**
 * Soccer (sport 5): incident types, statuses, results, phases. The service's specification wins; what it does not show is
 * from the provider's published catalogues (its PHP client's fixtures of 2019, MIT licence). The flags of possible incidents
 * and of video reviews are in neither source: they are those of the possible incidents of other sports (636, 647). The
 * provider has more types than these.
 */

/** The provider's id of soccer. */
export const SOCCER = 5;

/** The side an incident counts for, relative to the participant that it names. */
type CountsFor = 'all' | 'own' | 'rival' | 'none';

/** A kind of incident, as in `/v2/incidents`. */
export type IncidentType = {
  readonly id: number;
  readonly name: string;
  /** Whether it is reported of a team or of the whole event. */
  readonly type: 'team' | 'event';
  readonly for: CountsFor;
  /** It interrupts play. */
  readonly gameBreak: boolean;
  readonly important: boolean;
  readonly importantForTrader: boolean;
};

/** A status of an event, as in `/v2/statuses`. */
export type EventStatus = {
  readonly id: number;
  readonly name: string;
  readonly shortName: string;
  readonly type: 'scheduled' | 'live' | 'finished' | 'interrupted' | 'cancelled' | 'other';
};

/** Ids of the incident types in rules. */
export const INCIDENT = {
  goal: 413,
  injury: 415,
  redCard: 418,
  yellowCard: 419,
  penalty: 420,
  penaltyGoal: 421,
  missedPenalty: 422,
  ownGoal: 423,
  goalCancelled: 424,
  notStarted: 427,
  firstHalfStarted: 429,
  secondHalfStarted: 430,
  extraTimeFirstHalfStarted: 431,
  extraTimeSecondHalfStarted: 432,
  shootOutStarted: 433,
  finishedAfterExtraTime: 434,
  finishedAfterPenalties: 435,
  finishedAwardedWin: 436,
  finishedRegularTime: 437,
  startDelayed: 438,
  cancelled: 439,
  postponed: 440,
  interrupted: 441,
  abandoned: 442,
  halftime: 445,
  waitingForExtraTime: 446,
  extraTimeHalftime: 447,
  waitingForPenalty: 448,
  addedTime: 449,
  substitutionOut: 450,
  toFinish: 451,
  substitutionIn: 452,
  possibleGoal: 1827,
  possibleCard: 1829,
  possibleCardCancelled: 1830,
  possiblePenaltyCancelled: 1831,
  possiblePenalty: 1832,
  kickOff: 1833,
  possibleVar: 1834,
  varEnded: 2753,
} as const;

type Row = readonly [
  id: number,
  name: string,
  type: IncidentType['type'],
  countsFor: IncidentType['for'],
  gameBreak: boolean,
  important: boolean,
  importantForTrader: boolean,
];

// The specification names the types that break the game; the catalogue of 2019 adds Injury (415).
const INCIDENT_TYPES: readonly Row[] = [
  [400, 'In possession', 'team', 'own', false, false, false],
  [401, 'Attack', 'team', 'own', false, false, false],
  [402, 'Dangerous attack', 'team', 'own', false, false, true],
  [403, 'Free kick', 'team', 'own', false, false, false],
  [404, 'Dangerous free kick', 'team', 'own', false, false, true],
  [405, 'Shot on target', 'team', 'own', false, false, false],
  [406, 'Shot off target', 'team', 'own', false, false, false],
  [407, 'Goal kick', 'team', 'own', false, false, false],
  [408, 'Corner', 'team', 'own', false, false, true],
  [409, 'Throw in', 'team', 'own', false, false, false],
  [410, 'Foul', 'team', 'own', false, false, false],
  [411, 'Shot blocked', 'team', 'own', false, false, false],
  [412, 'Goalkeeper saved', 'team', 'own', false, false, false],
  [INCIDENT.goal, 'Goal', 'team', 'own', false, true, true],
  [INCIDENT.injury, 'Injury', 'team', 'own', false, false, true],
  [416, 'Offside', 'team', 'own', false, false, false],
  [INCIDENT.redCard, 'Red card', 'team', 'own', false, true, true],
  [INCIDENT.yellowCard, 'Yellow card', 'team', 'own', false, true, true],
  [INCIDENT.penalty, 'Penalty', 'team', 'own', true, true, true],
  [INCIDENT.penaltyGoal, 'Penalty goal', 'team', 'own', false, true, true],
  [INCIDENT.missedPenalty, 'Missed penalty', 'team', 'own', false, true, true],
  [INCIDENT.ownGoal, 'Own goal', 'team', 'rival', false, true, true],
  [INCIDENT.goalCancelled, 'Goal cancelled', 'team', 'own', false, true, true],
  [425, 'Shot woodwork', 'team', 'own', false, false, false],
  [INCIDENT.notStarted, 'Not started', 'event', 'none', false, true, true],
  [INCIDENT.firstHalfStarted, '1st half started', 'event', 'none', false, true, true],
  [INCIDENT.secondHalfStarted, '2nd half started', 'event', 'none', false, true, true],
  [INCIDENT.extraTimeFirstHalfStarted, 'Extratime 1st half started', 'event', 'none', false, true, true],
  [INCIDENT.extraTimeSecondHalfStarted, 'Extratime 2nd half started', 'event', 'none', false, true, true],
  [INCIDENT.shootOutStarted, 'Penalty shootout started', 'event', 'none', false, true, true],
  [INCIDENT.finishedAfterExtraTime, 'Finished after extra time', 'event', 'none', true, true, true],
  [INCIDENT.finishedAfterPenalties, 'Finished after penalties', 'event', 'none', true, true, true],
  [INCIDENT.finishedAwardedWin, 'Finished awarded win', 'event', 'none', true, true, true],
  [INCIDENT.finishedRegularTime, 'Finished regular time', 'event', 'none', true, true, true],
  [INCIDENT.startDelayed, 'Start delayed', 'event', 'none', true, true, true],
  [INCIDENT.cancelled, 'Cancelled', 'event', 'none', true, true, true],
  [INCIDENT.postponed, 'Postponed', 'event', 'none', true, true, true],
  [INCIDENT.interrupted, 'Interrupted', 'event', 'none', true, true, true],
  [INCIDENT.abandoned, 'Abandoned', 'event', 'none', true, true, true],
  [INCIDENT.halftime, 'Halftime', 'event', 'none', true, true, true],
  [INCIDENT.waitingForExtraTime, 'Waiting for extra time', 'event', 'none', true, true, true],
  [INCIDENT.extraTimeHalftime, 'Extra time halftime', 'event', 'none', true, true, true],
  [INCIDENT.waitingForPenalty, 'Waiting for penalty', 'event', 'none', true, true, true],
  [INCIDENT.addedTime, 'Added time', 'event', 'none', false, true, true],
  [INCIDENT.substitutionOut, 'Substitution out', 'team', 'own', false, true, true],
  [INCIDENT.toFinish, 'To finish', 'event', 'none', true, true, true],
  [INCIDENT.substitutionIn, 'Substitution in', 'team', 'own', false, true, true],
  [INCIDENT.possibleGoal, 'Possible goal', 'team', 'own', false, false, true],
  [INCIDENT.possibleCard, 'Possible card', 'team', 'own', false, false, true],
  [INCIDENT.possibleCardCancelled, 'Possible card cancelled', 'team', 'own', false, false, true],
  [INCIDENT.possiblePenaltyCancelled, 'Possible penalty cancelled', 'team', 'own', false, false, true],
  [INCIDENT.possiblePenalty, 'Possible penalty', 'team', 'own', false, false, true],
  [INCIDENT.kickOff, 'Kick off', 'team', 'own', false, false, false],
  [INCIDENT.possibleVar, 'Possible VAR', 'event', 'none', true, false, true],
  [INCIDENT.varEnded, 'VAR ended', 'event', 'none', true, false, true],
];

/** The incident types of soccer by id. */
export const INCIDENT_TYPES_OF_SOCCER: ReadonlyMap<number, IncidentType> = new Map(
  INCIDENT_TYPES.map(([id, name, type, countsFor, gameBreak, important, importantForTrader]) => [
    id,
    { id, name, type, for: countsFor, gameBreak, important, importantForTrader },
  ]),
);

/** Types of possible incidents and of their decisions, for the trading guard. */
export const POSSIBLE_INCIDENTS: ReadonlySet<number> = new Set([
  INCIDENT.possibleGoal,
  INCIDENT.possibleCard,
  INCIDENT.possibleCardCancelled,
  INCIDENT.possiblePenalty,
  INCIDENT.possiblePenaltyCancelled,
  INCIDENT.possibleVar,
  INCIDENT.varEnded,
]);

/** Ids of the statuses that soccer uses; a period's is the `event_status_id` of its incidents too. */
export const STATUS = {
  notStarted: 1,
  interrupted: 2,
  cancelled: 3,
  postponed: 5,
  startDelayed: 6,
  abandoned: 7,
  halftime: 9,
  finished: 11,
  finishedAwardedWin: 12,
  finishedAfterPenalties: 13,
  finishedAfterExtraTime: 14,
  penalties: 16,
  firstHalf: 33,
  secondHalf: 34,
  extraTimeFirstHalf: 35,
  extraTimeSecondHalf: 36,
  extraTimeHalftime: 37,
  waitingForExtraTime: 48,
  shootOut: 141,
  waitingForPenalty: 142,
  delayedByRain: 149,
  toFinish: 152,
} as const;

const STATUSES: readonly EventStatus[] = [
  { id: STATUS.notStarted, name: 'Not started', shortName: 'Sched.', type: 'scheduled' },
  { id: STATUS.interrupted, name: 'Interrupted', shortName: 'Interr.', type: 'interrupted' },
  { id: STATUS.cancelled, name: 'Cancelled', shortName: 'Canc.', type: 'cancelled' },
  { id: STATUS.postponed, name: 'Postponed', shortName: 'Post.', type: 'scheduled' },
  { id: STATUS.startDelayed, name: 'Start delayed', shortName: 'Delay.', type: 'scheduled' },
  { id: STATUS.abandoned, name: 'Abandoned', shortName: 'Abd.', type: 'finished' },
  { id: STATUS.halftime, name: 'Halftime', shortName: 'HT', type: 'live' },
  { id: STATUS.finished, name: 'Finished', shortName: 'Fin.', type: 'finished' },
  { id: STATUS.finishedAwardedWin, name: 'Finished awarded win', shortName: 'AW', type: 'finished' },
  {
    id: STATUS.finishedAfterPenalties,
    name: 'Finished after penalties',
    shortName: 'Fin pen.',
    type: 'finished',
  },
  {
    id: STATUS.finishedAfterExtraTime,
    name: 'Finished after extra time',
    shortName: 'Fin ext.',
    type: 'finished',
  },
  { id: STATUS.penalties, name: 'Penalties', shortName: 'Pen.', type: 'live' },
  { id: STATUS.firstHalf, name: '1st half', shortName: '1st half', type: 'live' },
  { id: STATUS.secondHalf, name: '2nd half', shortName: '2nd half', type: 'live' },
  { id: STATUS.extraTimeFirstHalf, name: 'Extra time 1st half', shortName: 'Extra 1st', type: 'live' },
  { id: STATUS.extraTimeSecondHalf, name: 'Extra time 2nd half', shortName: 'Extra 2nd', type: 'live' },
  { id: STATUS.extraTimeHalftime, name: 'Extra time halftime', shortName: 'Extra HT', type: 'live' },
  { id: STATUS.waitingForExtraTime, name: 'Waiting for extra time', shortName: 'Waiting ET', type: 'live' },
  { id: STATUS.shootOut, name: 'Penalty shootout', shortName: 'Penalty', type: 'live' },
  { id: STATUS.waitingForPenalty, name: 'Waiting for penalty', shortName: 'Before Pen', type: 'live' },
  { id: STATUS.delayedByRain, name: 'Delayed by rain', shortName: 'Delayed', type: 'scheduled' },
  { id: STATUS.toFinish, name: 'To finish', shortName: 'To fin.', type: 'scheduled' },
];

/** The statuses of soccer, by id, identified by their names in the provider's catalogue. */
export const STATUSES_OF_SOCCER: ReadonlyMap<number, EventStatus> = new Map(
  STATUSES.map((status) => [status.id, status]),
);

/** Ids of the results of a participant. `score` excludes the penalty shoot-out; absent is unknown, not zero. */
export const RESULT = {
  score: 2,
  regularTime: 3,
  firstHalf: 4,
  secondHalf: 5,
  shootOut: 7,
  extraTime: 104,
  extraTimeFirstHalf: 133,
  extraTimeSecondHalf: 134,
  winner: 411,
  progress: 412,
} as const;

/** The minute at which each phase nominally ends, by `event_status_id`: minutes above it are added time. */
export const PHASE_BOUNDARIES: ReadonlyMap<number, number> = new Map([
  [STATUS.firstHalf, 45],
  [STATUS.secondHalf, 90],
  [STATUS.extraTimeFirstHalf, 105],
  [STATUS.extraTimeSecondHalf, 120],
]);

/** The phases (`event_status_id`) of a penalty shoot-out, whose goals are counted apart. */
export const SHOOT_OUT_PHASES: ReadonlySet<number> = new Set([STATUS.penalties, STATUS.shootOut]);

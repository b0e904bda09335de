/**
 * Soccer (sport 5): incident types, statuses, results, phases. The service's specification wins; what it does not show is
 * from the provider's published catalogues (its PHP client's fixtures of 2019, MIT licence). Null: in neither source. The
 * provider has more types than these.
 */

/** The provider's id of soccer. */
export const SOCCER = 5;

/** The side an incident counts for, relative to the participant that it names. */
export type CountsFor = 'all' | 'own' | 'rival' | 'none';

/** A kind of incident, as in `/v2/incidents`. */
export type IncidentType = {
  readonly id: number;
  readonly name: string;
  /** Whether it is reported of a team or of the whole event. */
  readonly type: 'team' | 'event' | null;
  readonly for: CountsFor | null;
  /** It interrupts play. */
  readonly gameBreak: boolean;
  readonly important: boolean | null;
  readonly importantForTrader: boolean | null;
};

/** A status of an event, as in `/v2/statuses`. */
export type Status = {
  readonly id: number;
  readonly name: string;
  readonly shortName: string;
  readonly type: 'scheduled' | 'live' | 'finished' | 'interrupted' | 'cancelled' | 'other';
};

type Row = readonly [
  id: number,
  name: string,
  type: IncidentType['type'],
  countsFor: IncidentType['for'],
  gameBreak: boolean,
  important: boolean | null,
  importantForTrader: boolean | null,
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
  [413, 'Goal', 'team', 'own', false, true, true],
  [415, 'Injury', 'team', 'own', false, false, true],
  [416, 'Offside', 'team', 'own', false, false, false],
  [418, 'Red card', 'team', 'own', false, true, true],
  [419, 'Yellow card', 'team', 'own', false, true, true],
  [420, 'Penalty', 'team', 'own', true, true, true],
  [421, 'Penalty goal', 'team', 'own', false, true, true],
  [422, 'Missed penalty', 'team', 'own', false, true, true],
  [423, 'Own goal', 'team', 'rival', false, true, true],
  [424, 'Goal cancelled', 'team', 'own', false, true, true],
  [425, 'Shot woodwork', 'team', 'own', false, false, false],
  [427, 'Not started', 'event', 'none', false, true, true],
  [429, '1st half started', 'event', 'none', false, true, true],
  [430, '2nd half started', 'event', 'none', false, true, true],
  [431, 'Extratime 1st half started', 'event', 'none', false, true, true],
  [432, 'Extratime 2nd half started', 'event', 'none', false, true, true],
  [433, 'Penalty shootout started', 'event', 'none', false, true, true],
  [434, 'Finished after extra time', 'event', 'none', true, true, true],
  [435, 'Finished after penalties', 'event', 'none', true, true, true],
  [436, 'Finished awarded win', 'event', 'none', true, true, true],
  [437, 'Finished regular time', 'event', 'none', true, true, true],
  [438, 'Start delayed', 'event', 'none', true, true, true],
  [439, 'Cancelled', 'event', 'none', true, true, true],
  [440, 'Postponed', 'event', 'none', true, true, true],
  [441, 'Interrupted', 'event', 'none', true, true, true],
  [442, 'Abandoned', 'event', 'none', true, true, true],
  [445, 'Halftime', 'event', 'none', true, true, true],
  [446, 'Waiting for extra time', 'event', 'none', true, true, true],
  [447, 'Extra time halftime', 'event', 'none', true, true, true],
  [448, 'Waiting for penalty', 'event', 'none', true, true, true],
  [449, 'Added time', 'event', 'none', false, true, true],
  [450, 'Substitution out', 'team', 'own', false, true, true],
  [451, 'To finish', 'event', 'none', true, true, true],
  [452, 'Substitution in', 'team', 'own', false, true, true],
  [1827, 'Possible goal', null, null, false, null, null],
  [1829, 'Possible card', null, null, false, null, null],
  [1830, 'Possible card cancelled', null, null, false, null, null],
  [1831, 'Possible penalty cancelled', null, null, false, null, null],
  [1832, 'Possible penalty', null, null, false, null, null],
  [1833, 'Kick off', 'team', null, false, false, false],
  [1834, 'Possible VAR', null, null, true, null, null],
  [2753, 'VAR ended', null, null, true, null, null],
];

/** The incident types of soccer by id. */
export const INCIDENT_TYPES_OF_SOCCER: ReadonlyMap<number, IncidentType> = new Map(
  INCIDENT_TYPES.map(([id, name, type, countsFor, gameBreak, important, importantForTrader]) => [
    id,
    { id, name, type, for: countsFor, gameBreak, important, importantForTrader },
  ]),
);

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

const STATUSES: readonly Status[] = [
  { id: 1, name: 'Not started', shortName: 'Sched.', type: 'scheduled' },
  { id: 2, name: 'Interrupted', shortName: 'Interr.', type: 'interrupted' },
  { id: 3, name: 'Cancelled', shortName: 'Canc.', type: 'cancelled' },
  { id: 5, name: 'Postponed', shortName: 'Post.', type: 'scheduled' },
  { id: 6, name: 'Start delayed', shortName: 'Delay.', type: 'scheduled' },
  { id: 7, name: 'Abandoned', shortName: 'Abd.', type: 'finished' },
  { id: 9, name: 'Halftime', shortName: 'HT', type: 'live' },
  { id: 11, name: 'Finished', shortName: 'Fin.', type: 'finished' },
  { id: 12, name: 'Finished awarded win', shortName: 'AW', type: 'finished' },
  { id: 13, name: 'Finished after penalties', shortName: 'Fin pen.', type: 'finished' },
  { id: 14, name: 'Finished after extra time', shortName: 'Fin ext.', type: 'finished' },
  { id: 16, name: 'Penalties', shortName: 'Pen.', type: 'live' },
  { id: 33, name: '1st half', shortName: '1st half', type: 'live' },
  { id: 34, name: '2nd half', shortName: '2nd half', type: 'live' },
  { id: 35, name: 'Extratime 1st half', shortName: 'Extra 1st', type: 'live' },
  { id: 36, name: 'Extratime 2nd half', shortName: 'Extra 2nd', type: 'live' },
  { id: 37, name: 'Extratime halftime', shortName: 'Extra HT', type: 'live' },
  { id: 48, name: 'Waiting for extratime', shortName: 'Waiting ET', type: 'live' },
  { id: 141, name: 'Penalty shootout', shortName: 'Penalty', type: 'live' },
  { id: 142, name: 'Waiting for penalty', shortName: 'Before Pen', type: 'live' },
  { id: 149, name: 'Delayed by rain', shortName: 'Delayed', type: 'scheduled' },
  { id: 152, name: 'To finish', shortName: 'To fin.', type: 'scheduled' },
];

/** The statuses of soccer, by id, identified by their names in the provider's catalogue. */
export const STATUSES_OF_SOCCER: ReadonlyMap<number, Status> = new Map(
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
  [33, 45],
  [34, 90],
  [35, 105],
  [36, 120],
]);

/** The phases (`event_status_id`) of a penalty shoot-out, whose goals are counted apart. */
export const SHOOT_OUT_PHASES: ReadonlySet<number> = new Set([16, 141]);

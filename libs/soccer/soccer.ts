/**
 * Soccer (sport 5), from the specification, else from the provider's published catalogues (its PHP client's fixtures of 2019, MIT
 * licence). The flags of possible incidents and video reviews are those of other sports (636, 647).
 */

/** The provider's id of soccer. */
export const SOCCER = 5;

/** A status of an event, as in `/v2/statuses`. */
type EventStatus = {
  readonly id: number;
  readonly name: string;
  readonly shortName: string;
  readonly type: 'scheduled' | 'live' | 'finished' | 'interrupted' | 'cancelled' | 'other';
};

/** Ids of the incident types that the laws name. */
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

/** Ids of the statuses that soccer uses. The id of a period is also the `event_status_id` of its incidents. */
export const STATUS = {
  notStarted: 1,
  interrupted: 2,
  postponed: 5,
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
} as const;

const STATUSES: readonly (readonly [
  id: number,
  name: string,
  shortName: string,
  type: EventStatus['type'],
])[] = [
  [STATUS.notStarted, 'Not started', 'Sched.', 'scheduled'],
  [STATUS.interrupted, 'Interrupted', 'Interr.', 'interrupted'],
  [3, 'Cancelled', 'Canc.', 'cancelled'],
  [STATUS.postponed, 'Postponed', 'Post.', 'scheduled'],
  [6, 'Start delayed', 'Delay.', 'scheduled'],
  [STATUS.abandoned, 'Abandoned', 'Abd.', 'finished'],
  [STATUS.halftime, 'Halftime', 'HT', 'live'],
  [STATUS.finished, 'Finished', 'Fin.', 'finished'],
  [STATUS.finishedAwardedWin, 'Finished awarded win', 'AW', 'finished'],
  [STATUS.finishedAfterPenalties, 'Finished after penalties', 'Fin pen.', 'finished'],
  [STATUS.finishedAfterExtraTime, 'Finished after extra time', 'Fin ext.', 'finished'],
  [STATUS.penalties, 'Penalties', 'Pen.', 'live'],
  [STATUS.firstHalf, '1st half', '1st half', 'live'],
  [STATUS.secondHalf, '2nd half', '2nd half', 'live'],
  [STATUS.extraTimeFirstHalf, 'Extra time 1st half', 'Extra 1st', 'live'],
  [STATUS.extraTimeSecondHalf, 'Extra time 2nd half', 'Extra 2nd', 'live'],
  [STATUS.extraTimeHalftime, 'Extra time halftime', 'Extra HT', 'live'],
  [STATUS.waitingForExtraTime, 'Waiting for extra time', 'Waiting ET', 'live'],
  [STATUS.shootOut, 'Penalty shootout', 'Penalty', 'live'],
  [STATUS.waitingForPenalty, 'Waiting for penalty', 'Before Pen', 'live'],
  [149, 'Delayed by rain', 'Delayed', 'scheduled'],
  [152, 'To finish', 'To fin.', 'scheduled'],
];

/** The statuses of soccer by id, with their names in the provider's catalogue. */
export const STATUSES_OF_SOCCER: ReadonlyMap<number | null, EventStatus> = new Map(
  STATUSES.map(([id, name, shortName, type]) => [id, { id, name, shortName, type }]),
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

/** The nominal last minute of each phase, by `event_status_id`: later minutes are added time. */
export const PHASE_BOUNDARIES: ReadonlyMap<number | null, number> = new Map([
  [STATUS.firstHalf, 45],
  [STATUS.secondHalf, 90],
  [STATUS.extraTimeFirstHalf, 105],
  [STATUS.extraTimeSecondHalf, 120],
]);

/** The phases of a penalty shoot-out, whose goals are counted apart; kicks are also reported in the wait before and at its end. */
export const SHOOT_OUT_PHASES: ReadonlySet<number | null> = new Set([
  STATUS.penalties,
  STATUS.shootOut,
  STATUS.waitingForPenalty,
  STATUS.finishedAfterPenalties,
]);

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

const STATUSES: readonly EventStatus[] = [
  { id: STATUS.notStarted, name: 'Not started', shortName: 'Sched.', type: 'scheduled' },
  { id: STATUS.interrupted, name: 'Interrupted', shortName: 'Interr.', type: 'interrupted' },
  { id: 3, name: 'Cancelled', shortName: 'Canc.', type: 'cancelled' },
  { id: STATUS.postponed, name: 'Postponed', shortName: 'Post.', type: 'scheduled' },
  { id: 6, name: 'Start delayed', shortName: 'Delay.', type: 'scheduled' },
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
  { id: 149, name: 'Delayed by rain', shortName: 'Delayed', type: 'scheduled' },
  { id: 152, name: 'To finish', shortName: 'To fin.', type: 'scheduled' },
];

/** The statuses of soccer by id, with their names in the provider's catalogue. */
export const STATUSES_OF_SOCCER: ReadonlyMap<number | null, EventStatus> = new Map(
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

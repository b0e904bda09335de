/** Law 2: the order of the messages of one event. */

import { toWholeNumber } from '#json/values.ts';
import type { NormalizedMessage, ReportKey } from '#records/types.ts';
import { STATUS } from '#soccer/soccer.ts';
import { STATUSES } from '#soccer/statuses.ts';

/** Statuses after which a match is finished, whatever its status type says (law 8). */
const FINISHED_STATUSES: ReadonlySet<number | null> = new Set([
  STATUS.abandoned,
  STATUS.finished,
  STATUS.finishedAwardedWin,
  STATUS.finishedAfterPenalties,
  STATUS.finishedAfterExtraTime,
  // Finished after overtime, which soccer does not have.
  140,
]);

/** Whether a match of this status is finished (law 8). */
export function isFinished(statusId: number | null, statusType: string | null): boolean {
  return statusType === 'finished' || FINISHED_STATUSES.has(statusId);
}

/**
 * Returns how far a match of this status is, as far as going back matters (laws 2 and 9): in play includes interruptions; null for
 * any other.
 */
export function stageOf(
  statusId: number | null,
  statusType: string | null,
): 'scheduled' | 'in_play' | 'finished' | null {
  if (isFinished(statusId, statusType)) return 'finished';
  const type = statusType ?? STATUSES.get(statusId)?.type;
  if (type === 'live' || type === 'interrupted') return 'in_play';
  return type === 'scheduled' ? 'scheduled' : null;
}

/** Whether a match of this status is awarded (law 8). */
export function isAwarded(statusId: number | null): boolean {
  return statusId === STATUS.finishedAwardedWin;
}

const FINISHED = 30;

/** How far a match of a status type is, where its status does not say more. */
const PROGRESS_OF_TYPE: ReadonlyMap<string | null, number> = new Map([
  ['scheduled', 1],
  ['live', 2],
  ['interrupted', 20],
  ['cancelled', 21],
  ['finished', FINISHED],
  ['deleted', 31],
]);

/** The statuses of a live match of soccer, in the order in which they follow each other. */
const COURSE: readonly (readonly number[])[] = [
  [STATUS.firstHalf],
  [STATUS.halftime],
  [STATUS.secondHalf],
  [STATUS.waitingForExtraTime],
  [STATUS.extraTimeFirstHalf],
  [STATUS.extraTimeHalftime],
  [STATUS.extraTimeSecondHalf],
  [STATUS.waitingForPenalty],
  [STATUS.penalties, STATUS.shootOut],
];
const PROGRESS_OF_STATUS: ReadonlyMap<number | null, number> = new Map(
  COURSE.flatMap((statuses, index) => statuses.map((status) => [status, index + 2] as const)),
);

/** Returns how far a match of this status is: the further one is the later of one second. 0 is unknown. */
export function progressOf(statusId: number | null, statusType: string | null): number {
  if (isFinished(statusId, statusType)) return FINISHED;
  const type = STATUSES.get(statusId)?.type ?? statusType;
  return PROGRESS_OF_STATUS.get(statusId) ?? PROGRESS_OF_TYPE.get(type) ?? 0;
}

/** When a message was written, and its position among those of the same second: null, of a polled record, comes after all numbers. */
export type MessagePosition = Readonly<ReportKey>;

/** Returns the position of a message. A polled record has no whole number as its id. */
export function positionOf({
  ut,
  message_id,
}: Pick<NormalizedMessage, 'ut' | 'message_id'>): MessagePosition {
  return { ut, message_id: toWholeNumber(message_id) };
}

/** Where a message stands among the messages of its event (law 2). */
export type MessageKey = MessagePosition & {
  /** See `progressOf`. */
  readonly progress: number;
  /** The canonical JSON of the message's whole event. Computed only where nothing else decides. */
  readonly text: string;
};

/** Compares messages by time, id, progress and text: above 0 if `a` comes after `b`, 0 if both report the same. */
export function compareKeys(a: MessageKey, b: MessageKey): number {
  if (a === b) return 0;
  const order = comparePositions(a, b) || a.progress - b.progress;
  if (order !== 0) return order;
  const [first, second] = [a.text, b.text];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Compares messages by time and id. */
export function comparePositions(a: MessagePosition, b: MessagePosition): number {
  return a.ut - b.ut || compareMessageIds(a.message_id, b.message_id);
}

/** Compares ids of messages of one second: whole numbers by value, all others after them. */
export function compareMessageIds(a: number | null, b: number | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  return b === null ? -1 : a - b;
}

/** Whether a match has a result. The provider reports an abandoned match as finished, but it has no result until one is awarded. */
export function hasResult(statusId: number | null, statusType: string | null): boolean {
  return statusType === 'finished' && statusId !== STATUS.abandoned;
}

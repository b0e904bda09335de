/**
 * Ids of outgoing messages: functions of the transition, so that they are the same at every attempt, after every restart
 * and in every replay (docs/decisions/0051 has the arithmetic).
 */

/** The parts of a message's id: the n-th transition of a version of an event, and one of its messages. */
export type MessageIdParts = {
  readonly eventId: number;
  /** From 1. */
  readonly version: number;
  readonly n: number;
  /** From 0 to 2: a transition has at most three messages. */
  readonly part: number;
};

const MAX_EVENTS = 2 ** 26;
const NUMBERS_PER_EVENT = 2 ** 27;
const MAX_PARTS = 4;

/** Two splits of an event's numbers among its versions: for versions with few transitions, as most, and with many. */
const FEW = { versions: 2 ** 20, transitions: 2 ** 4 };
const MANY = { versions: 2 ** 13, transitions: 2 ** 11 };

/**
 * Returns the number of a message: positive, below 2^53 and unique. Null beyond the bounds: an event id from 2^26, a
 * version from 2^20, or from 2^13 for a transition from 16, or a transition from 2^11.
 */
export function messageId({ eventId, version, n, part }: MessageIdParts): number | null {
  const split = n < FEW.transitions ? FEW : MANY;
  if (eventId < 1 || eventId >= MAX_EVENTS || version >= split.versions || n >= split.transitions)
    return null;
  const inSplit = (version * split.transitions + n) * MAX_PARTS + part;
  return eventId * NUMBERS_PER_EVENT + inSplit * 2 + (split === FEW ? 0 : 1);
}

/** Returns the text id of a message, without bounds: the id of its transition, and the part if that is not 0. */
export function messageUuid({ eventId, version, n, part }: MessageIdParts): string {
  return `${eventId}:${version}:${n}${part === 0 ? '' : `:${part}`}`;
}

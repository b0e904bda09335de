/**
 * Identity of outgoing messages: a function of the transition, so that it is the same at every attempt, after every
 * restart and in every replay (docs/decisions/0051 has the arithmetic).
 */

/** The place of a message: the n-th transition of a version of an event, and its part. */
export type MessageIdParts = {
  readonly eventId: number;
  /** From 1. */
  readonly version: number;
  readonly n: number;
  /** From 0 to 2: a transition gives at most three messages. */
  readonly part: number;
};

const EVENTS = 2 ** 26;
/** Numbers of one event. */
const PER_EVENT = 2 ** 27;
const PARTS = 4;

/** Two ways to split an event's numbers among its versions: most versions have few transitions, some have many. */
const FEW = { versions: 2 ** 20, transitions: 2 ** 4 };
const MANY = { versions: 2 ** 13, transitions: 2 ** 11 };

/**
 * The number of a message: positive, below 2^53, unique for each place. Null for a place beyond the bounds: an event id
 * from 2^26, a version from 2^20, or from 2^13 with 16 transitions or more, 2^11 transitions of a version.
 */
export function messageId({ eventId, version, n, part }: MessageIdParts): number | null {
  const way = n < FEW.transitions ? FEW : MANY;
  if (eventId < 1 || eventId >= EVENTS || version >= way.versions || n >= way.transitions) return null;
  const place = (version * way.transitions + n) * PARTS + part;
  return eventId * PER_EVENT + place * 2 + (way === FEW ? 0 : 1);
}

/** The text id of a message, for any place: the id of its transition, with the part where that is not 0. */
export function messageUuid({ eventId, version, n, part }: MessageIdParts): string {
  return `${eventId}:${version}:${n}${part === 0 ? '' : `:${part}`}`;
}

/**
 * Identity of outgoing messages. It follows from the transition that a message comes of, so that it is the same at every
 * attempt, after every restart and in every replay (docs/decisions/0051 has the arithmetic).
 */

/** Where a message comes from: the n-th transition of a version of an event, and which of its messages this is. */
export type MessagePlace = {
  readonly eventId: number;
  /** From 1. */
  readonly version: number;
  readonly n: number;
  /** From 0 to 2: a transition makes three messages at most. */
  readonly part: number;
};

const EVENTS = 2 ** 26;
/** Numbers of one event. */
const PER_EVENT = 2 ** 27;
const PARTS = 4;

/** Two ways to divide the numbers of an event among its versions: most versions have few transitions, some have many. */
const FEW = { versions: 2 ** 20, transitions: 2 ** 4 };
const MANY = { versions: 2 ** 13, transitions: 2 ** 11 };

/**
 * The number of a message: positive, below 2^53, another one for each place. Null where a place is beyond all bounds:
 * an event id from 2^26, a version from 2^20, or from 2^13 with 16 transitions or more, 2^11 transitions of a version.
 */
export function messageId({ eventId, version, n, part }: MessagePlace): number | null {
  const way = n < FEW.transitions ? FEW : MANY;
  if (eventId < 1 || eventId >= EVENTS || version >= way.versions || n >= way.transitions) return null;
  const place = (version * way.transitions + n) * PARTS + part;
  return eventId * PER_EVENT + place * 2 + (way === FEW ? 0 : 1);
}

/** The text that identifies a message, whatever its place: the id of its transition, with the part where that is not 0. */
export function messageUuid({ eventId, version, n, part }: MessagePlace): string {
  return `${eventId}:${version}:${n}${part === 0 ? '' : `:${part}`}`;
}

/** How many exchanges may be attempted (spec, "Limits"). Pure: a function of the attempts in the order of their log. */

import type { AttemptScope } from '#topics/generated/types.ts';

/** The rolling window, milliseconds. */
export const WINDOW_MS = 15 * 60_000;

/** Attempts in a window that are let through. */
export const LIMITS: Readonly<Record<AttemptScope, number>> = { address: 30, client: 10 };

/** Most addresses, and most client ids, counted at a time; above it new ones are refused. */
const MAX_SUBJECTS = 100_000;

/** Null where the attempt is admitted; else `retryAt` (Unix milliseconds) is when the next may be. */
export type Refusal = { readonly retryAt: number } | null;

/** A subject with the times of its admitted attempts, in a list ordered by the last admission. */
type Entry = {
  readonly subject: string;
  readonly times: number[];
  before: Entry | null;
  after: Entry | null;
};

/**
 * Counts attempts that were let through; refused ones do not count, so a client that waits as advised is admitted. Every replica that
 * applies the same log decides the same.
 */
export class AttemptLedger {
  readonly #limit: number;
  readonly #capacity: number;
  readonly #windowMs: number;
  readonly #entries = new Map<string, Entry>();
  // A list of its own: a Map whose first entries were deleted takes as long to find its first as there were entries.
  #first: Entry | null = null;
  #last: Entry | null = null;

  constructor(limit: number, capacity = MAX_SUBJECTS, windowMs = WINDOW_MS) {
    this.#limit = limit;
    this.#capacity = capacity;
    this.#windowMs = windowMs;
  }

  /** How many subjects are held. */
  get size(): number {
    return this.#entries.size;
  }

  /** Applies the next attempt of the log: counts it where it is admitted. */
  apply(subject: string, at: number): Refusal {
    while (this.#first !== null && this.#isOver(this.#first, at)) this.#drop(this.#first);
    const refusal = this.refusal(subject, at);
    if (refusal === null) this.#count(subject, at, 1);
    return refusal;
  }

  /** Counts attempts that other replicas admitted, at the limit too; ignores a new subject where there is no room. */
  add(subject: string, at: number, attempts: number): void {
    if (this.#entries.has(subject) || this.#entries.size < this.#capacity) this.#count(subject, at, attempts);
  }

  /** The answer to an attempt that `pending` others of its subject precede in the log. */
  refusal(subject: string, at: number, pending = 0): Refusal {
    const times = this.#entries.get(subject)?.times;
    if (times === undefined && this.#entries.size >= this.#capacity) {
      const oldest = this.#first;
      if (oldest !== null && !this.#isOver(oldest, at))
        return { retryAt: Math.max(...oldest.times) + this.#windowMs };
    }
    // A clock that was set back, or is another replica's, must not lock a subject out for longer than a window.
    const counted = times?.filter((time) => Math.abs(at - time) < this.#windowMs) ?? [];
    if (counted.length + pending < this.#limit) return null;
    return { retryAt: Math.min(at, ...counted) + this.#windowMs };
  }

  #count(subject: string, at: number, attempts: number): void {
    const held = this.#entries.get(subject);
    if (held !== undefined) this.#drop(held);
    const times = (held?.times ?? []).filter((time) => !this.#isPast(time, at));
    this.#append(subject, [...times, ...Array<number>(attempts).fill(at)]);
  }

  #isPast(time: number, at: number): boolean {
    return time <= at - this.#windowMs;
  }

  /** Whether all attempts of a subject are past. */
  #isOver({ times }: Entry, at: number): boolean {
    return times.every((time) => this.#isPast(time, at));
  }

  #append(subject: string, times: number[]): void {
    const entry: Entry = { subject, times, before: this.#last, after: null };
    if (this.#last === null) this.#first = entry;
    else this.#last.after = entry;
    this.#last = entry;
    this.#entries.set(subject, entry);
  }

  #drop({ subject, before, after }: Entry): void {
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
    this.#entries.delete(subject);
  }
}

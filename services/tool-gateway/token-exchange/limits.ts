/** How many exchanges may be attempted (spec, "Limits"). Pure: a function of the attempts in the order of their log. */
import { LRUCache } from 'lru-cache';
import type { AttemptScope } from '#topics/generated/types.ts';

/** The rolling window, milliseconds. */
export const WINDOW_MS = 15 * 60_000;

/** Attempts in a window that are let through. */
export const LIMITS: Readonly<Record<AttemptScope, number>> = { address: 30, client: 10 };

/** Most addresses, and most client ids, counted at a time; above it new ones are refused. */
const MAX_SUBJECTS = 100_000;

/** Null where the attempt is admitted; else `retryAt` (Unix milliseconds) is when the next may be. */
export type Refusal = { readonly retryAt: number } | null;

/**
 * Counts attempts that were let through; refused ones do not count, so a client that waits as advised is admitted. Every replica that
 * applies the same log decides the same.
 */
export class AttemptLedger {
  readonly #limit: number;
  readonly #capacity: number;
  readonly #windowMs: number;
  /** Times of admitted attempts, by subject; ordered by the last admission. */
  readonly #times: LRUCache<string, readonly number[]>;

  constructor(limit: number, capacity = MAX_SUBJECTS, windowMs = WINDOW_MS) {
    this.#limit = limit;
    this.#capacity = capacity;
    this.#windowMs = windowMs;
    this.#times = new LRUCache({ max: capacity });
  }

  get size(): number {
    return this.#times.size;
  }

  /** Applies the next attempt of the log: counts it where it is admitted. */
  apply(subject: string, at: number): Refusal {
    while (this.#oldest?.every((time) => this.#isPast(time, at))) this.#times.pop();
    const refusal = this.refusal(subject, at);
    if (refusal === null) this.#count(subject, at, 1);
    return refusal;
  }

  /** Counts attempts that other replicas admitted, at the limit too; ignores a new subject where there is no room. */
  add(subject: string, at: number, attempts: number): void {
    if (this.#times.has(subject) || this.size < this.#capacity) this.#count(subject, at, attempts);
  }

  /** The answer to an attempt that `pending` others of its subject precede in the log. */
  refusal(subject: string, at: number, pending = 0): Refusal {
    const times = this.#times.peek(subject);
    if (times === undefined && this.size >= this.#capacity) {
      const oldest = this.#oldest ?? [];
      if (oldest.some((time) => !this.#isPast(time, at)))
        return { retryAt: Math.max(...oldest) + this.#windowMs };
    }
    // A clock that was set back, or is another replica's, must not lock a subject out for longer than a window.
    const counted = times?.filter((time) => Math.abs(at - time) < this.#windowMs) ?? [];
    if (counted.length + pending < this.#limit) return null;
    return { retryAt: Math.min(at, ...counted) + this.#windowMs };
  }

  /** Those of the subject whose last admission is the longest ago. */
  get #oldest(): readonly number[] | undefined {
    const [subject] = this.#times.rkeys();
    return subject === undefined ? undefined : this.#times.peek(subject);
  }

  #count(subject: string, at: number, attempts: number): void {
    const times = (this.#times.peek(subject) ?? []).filter((time) => !this.#isPast(time, at));
    this.#times.set(subject, [...times, ...Array<number>(attempts).fill(at)]);
  }

  #isPast(time: number, at: number): boolean {
    return time <= at - this.#windowMs;
  }
}

/** Limits of token exchanges (spec, "Limits"). Pure: a function of the attempts in the order of their log. */
import { LRUCache } from 'lru-cache';
import type { AttemptScope } from '#records/types.ts';

/** The rolling window, milliseconds. */
export const WINDOW_MS = 15 * 60_000;

/** Maximum number of admitted attempts in a window. */
export const LIMITS: Readonly<Record<AttemptScope, number>> = { address: 30, client: 10 };

/** Maximum number of addresses, and of client ids, counted at a time; beyond it new ones are refused. */
const MAX_SUBJECTS = 100_000;

/** The decision on an attempt. Null: it is admitted. Else the next one may be admitted at `retryAt` (Unix milliseconds). */
export type Refusal = { readonly retryAt: number } | null;

/**
 * Counts admitted attempts. Refused ones do not count, so a client that waits as advised is admitted. Every replica that
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

  /** Applies the next attempt of the log, and counts it if it is admitted. */
  apply(subject: string, at: number): Refusal {
    while (this.#oldest?.every((time) => this.#isExpired(time, at))) this.#times.pop();
    const refusal = this.refusal(subject, at);
    if (refusal === null) this.#count(subject, at, 1);
    return refusal;
  }

  /** Counts attempts that other replicas admitted, even beyond the limit. Ignores a new subject when the ledger is full. */
  add(subject: string, at: number, attempts: number): void {
    if (this.#times.has(subject) || this.size < this.#capacity) this.#count(subject, at, attempts);
  }

  /** Decides on an attempt without counting it. `pending` earlier attempts of its subject are not in the log yet. */
  refusal(subject: string, at: number, pending = 0): Refusal {
    const times = this.#times.peek(subject);
    if (times === undefined && this.size >= this.#capacity) {
      const oldest = this.#oldest ?? [];
      if (oldest.some((time) => !this.#isExpired(time, at)))
        return { retryAt: Math.max(...oldest) + this.#windowMs };
    }
    // A clock that was set back, or that of another replica, must not lock a subject out for longer than a window.
    const counted = times?.filter((time) => Math.abs(at - time) < this.#windowMs) ?? [];
    if (counted.length + pending < this.#limit) return null;
    return { retryAt: Math.min(at, ...counted) + this.#windowMs };
  }

  /** Times of the subject with the least recent admission; undefined in an empty ledger. */
  get #oldest(): readonly number[] | undefined {
    const [subject] = this.#times.rkeys();
    return subject === undefined ? undefined : this.#times.peek(subject);
  }

  #count(subject: string, at: number, attempts: number): void {
    const times = (this.#times.peek(subject) ?? []).filter((time) => !this.#isExpired(time, at));
    this.#times.set(subject, [...times, ...Array<number>(attempts).fill(at)]);
  }

  #isExpired(time: number, at: number): boolean {
    return time <= at - this.#windowMs;
  }
}

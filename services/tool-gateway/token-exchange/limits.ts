/** How many exchanges may be attempted (spec, "Limits"). Pure: a function of the attempts in the order of their log. */

/** What attempts are counted for. */
export type AttemptScope = 'address' | 'client';

/** The rolling window, milliseconds. */
export const WINDOW_MS = 15 * 60_000;

/** Attempts in a window that are let through. */
export const LIMITS: Readonly<Record<AttemptScope, number>> = { address: 30, client: 10 };

/** Most addresses, and most client ids, that are counted at a time; while there are more, new ones are refused. */
export const MAX_SUBJECTS = 100_000;

/** Null: let through; else the attempt is refused, and `retryAt` (Unix milliseconds) is when one may be let through. */
export type Refusal = { readonly retryAt: number } | null;

/**
 * Counts attempts that were let through; refused ones do not count, so that who waits as told gets in. Every replica that
 * applies the same log decides the same.
 */
export class AttemptLedger {
  readonly #limit: number;
  readonly #capacity: number;
  readonly #windowMs: number;
  /** Times of attempts by subject; the subject that was let through last stands last. */
  readonly #attempts = new Map<string, number[]>();

  constructor(limit: number, capacity = MAX_SUBJECTS, windowMs = WINDOW_MS) {
    this.#limit = limit;
    this.#capacity = capacity;
    this.#windowMs = windowMs;
  }

  /** How many subjects are held. */
  get size(): number {
    return this.#attempts.size;
  }

  /** The next attempt of the log: counts it where it is let through. */
  apply(subject: string, at: number): Refusal {
    this.#forget(at);
    const refusal = this.refusal(subject, at);
    if (refusal !== null) return refusal;
    const held = this.#attempts.get(subject) ?? [];
    this.#attempts.delete(subject);
    this.#attempts.set(subject, [...held.filter((time) => !this.#isPast(time, at)), at]);
    return null;
  }

  /** What an attempt would be answered with where `pending` others of the subject come before it in the log. */
  refusal(subject: string, at: number, pending = 0): Refusal {
    const held = this.#attempts.get(subject);
    if (held === undefined && this.#attempts.size >= this.#capacity) {
      const [oldest = []] = this.#attempts.values();
      if (!this.#isPast(oldest.at(-1) ?? at, at)) return { retryAt: (oldest.at(-1) ?? at) + this.#windowMs };
    }
    const counted = held?.filter((time) => this.#counts(time, at)) ?? [];
    if (counted.length + pending < this.#limit) return null;
    return { retryAt: Math.min(at, ...counted) + this.#windowMs };
  }

  /** Lets go of the subjects whose attempts are all past, as far as they stand first. */
  #forget(at: number): void {
    for (const [subject, times] of this.#attempts) {
      if (!times.every((time) => this.#isPast(time, at))) return;
      this.#attempts.delete(subject);
    }
  }

  #isPast(time: number, at: number): boolean {
    return time <= at - this.#windowMs;
  }

  /** A clock that was set back, or is another replica's, must not lock a subject out for longer than a window. */
  #counts(time: number, at: number): boolean {
    return Math.abs(at - time) < this.#windowMs;
  }
}

import { PoisonError } from './processor.ts';

/** Records of one transaction. */
export type TransactionRange = { readonly first: number; readonly last: number; readonly count: number };

/** Why a record is given up. */
export type Verdict = {
  readonly error: PoisonError;
  /** Its dead letter was too large: it names the record without its bytes. */
  readonly isBare: boolean;
};

/**
 * What is known of the records of a partition that failed, over all claims of it: a record that cannot be processed, or whose
 * results cannot be committed, is found by processing its batch again in halves, and becomes a dead letter once it failed
 * by itself.
 */
export class Suspects {
  /** Records that failed and are not behind yet, by offset; null for one that has another try. */
  readonly #records = new Map<number, Verdict | null>();
  /** The batch whose commit failed last: so many of its records at most are in one transaction until it is behind. */
  #batch: { readonly last: number; readonly most: number } | null = null;
  #hasLearned = false;

  /** Why a record is given up; null where it is to be processed. */
  verdictOn(offset: number): Verdict | null {
    return this.#records.get(offset) ?? null;
  }

  /** How many records the transaction that begins with this one may have. */
  mostFrom(offset: number): number {
    return this.#batch === null || offset > this.#batch.last ? Number.POSITIVE_INFINITY : this.#batch.most;
  }

  /** Processing threw: the second time it does, the record is given up. */
  processingFailed(offset: number, error: unknown): void {
    const verdict = this.#records.has(offset)
      ? {
          error: new PoisonError('processing_failed', `cannot be processed: ${String(error)}`, error),
          isBare: false,
        }
      : null;
    this.#records.set(offset, verdict);
    this.#hasLearned = true;
  }

  /**
   * What the records lead to cannot be written, for a reason that lies in them. `letter`: why a record is given up whose dead
   * letter was all that there was to write.
   */
  commitFailed({ first, last, count }: TransactionRange, error: unknown, letter: PoisonError | null): void {
    if (count > 1) {
      this.#batch = { last, most: Math.ceil(count / 2) };
      this.#hasLearned = true;
      return;
    }
    // Nothing is left that could be tried.
    if (this.verdictOn(first)?.isBare) return;
    const poison =
      error instanceof PoisonError
        ? error
        : new PoisonError('commit_failed', `its results cannot be written: ${String(error)}`, error);
    const verdict =
      letter === null
        ? { error: poison, isBare: false }
        : {
            error: new PoisonError(
              letter.code,
              `${letter.message}; its bytes are only at its offset`,
              letter,
            ),
            isBare: true,
          };
    this.#records.set(first, verdict);
    this.#hasLearned = true;
  }

  /** Everything before `next` is committed. */
  committed(next: number): void {
    for (const offset of this.#records.keys()) if (offset < next) this.#records.delete(offset);
    if (this.#batch !== null && this.#batch.last < next) this.#batch = null;
  }

  /** Whether something new was found since this was last asked, so that another try goes differently. */
  takeLearned(): boolean {
    const hasLearned = this.#hasLearned;
    this.#hasLearned = false;
    return hasLearned;
  }
}

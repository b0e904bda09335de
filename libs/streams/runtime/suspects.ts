import { PoisonError } from '#errors/touchline-error.ts';

/** Records of one transaction. */
export type TransactionRange = { readonly first: number; readonly last: number; readonly count: number };

/** Why a record is given up. */
export type SuspectVerdict = {
  readonly error: PoisonError;
  /** Its dead letter was too large: it names the record without its bytes. */
  readonly isBare: boolean;
};

/**
 * The failed records of a partition, over all claims of it. A record that cannot be processed, or whose results cannot be
 * committed, is found by processing its batch again in halves, and becomes a dead letter once it failed alone.
 */
export class Suspects {
  /** Failed records not yet passed, by offset; null for one with an attempt left. */
  readonly #records = new Map<number, SuspectVerdict | null>();
  /** The batch whose last commit failed, and the most records of a transaction until it is passed. */
  #batch: { readonly last: number; readonly most: number } | null = null;
  #hasLearned = false;

  /** Why a record is given up; null where it is to be processed. */
  verdictOn(offset: number): SuspectVerdict | null {
    return this.#records.get(offset) ?? null;
  }

  /** The most records of the transaction that begins with this one. */
  mostFrom(offset: number): number {
    return this.#batch === null || offset > this.#batch.last ? Number.POSITIVE_INFINITY : this.#batch.most;
  }

  /** Processing threw an error: the second time, the record is given up. */
  processingFailed(offset: number, error: unknown): void {
    const verdict = this.#records.has(offset)
      ? {
          error: new PoisonError('PROCESSING_FAILED', `cannot be processed: ${String(error)}`, error),
          isBare: false,
        }
      : null;
    this.#records.set(offset, verdict);
    this.#hasLearned = true;
  }

  /**
   * The results of the records cannot be written, for a reason in the records. `letter`: why a record is given up whose
   * dead letter was the only result.
   */
  commitFailed({ first, last, count }: TransactionRange, error: unknown, letter: PoisonError | null): void {
    if (count > 1) {
      this.#batch = { last, most: Math.ceil(count / 2) };
      this.#hasLearned = true;
      return;
    }
    // No attempt is left.
    if (this.verdictOn(first)?.isBare) return;
    const poison =
      error instanceof PoisonError
        ? error
        : new PoisonError('COMMIT_FAILED', `its results cannot be written: ${String(error)}`, error);
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

  /** The transaction lasted longer than the broker waits: fewer records are tried. A single record is tried as it is. */
  tookTooLong({ last, count }: TransactionRange): void {
    if (count < 2) return;
    this.#batch = { last, most: Math.ceil(count / 2) };
    this.#hasLearned = true;
  }

  /** All records before `next` are committed. */
  committed(next: number): void {
    for (const offset of this.#records.keys()) if (offset < next) this.#records.delete(offset);
    if (this.#batch !== null && this.#batch.last < next) this.#batch = null;
  }

  /** Whether there is new information since the last call, so that another attempt differs. */
  takeLearned(): boolean {
    const hasLearned = this.#hasLearned;
    this.#hasLearned = false;
    return hasLearned;
  }
}

import { PoisonError } from './processor.ts';

/** Records of one transaction. */
export type TransactionRange = { readonly first: number; readonly last: number; readonly count: number };

/**
 * What is known of the records of a partition that failed, over all claims of it: a record that cannot be processed, or whose
 * results cannot be committed, is found by processing its batch again in halves, and becomes a dead letter once it failed
 * by itself.
 */
export class Suspects {
  /** The record that failed last, and why it is given up, null while it has another try. */
  #record: { readonly offset: number; readonly error: PoisonError | null } | null = null;
  /** The batch whose commit failed last: so many of its records at most are in one transaction until it is behind. */
  #batch: { readonly last: number; readonly most: number } | null = null;

  /** Why a record is given up; null where it is to be processed. */
  verdictOn(offset: number): PoisonError | null {
    return this.#record?.offset === offset ? this.#record.error : null;
  }

  /** How many records the transaction that begins with this one may have. */
  mostFrom(offset: number): number {
    return this.#batch === null || offset > this.#batch.last ? Number.POSITIVE_INFINITY : this.#batch.most;
  }

  /** Processing threw: the second time it does, the record is given up. */
  processingFailed(offset: number, error: unknown): void {
    const isAgain = this.#record?.offset === offset;
    this.#record = {
      offset,
      error: isAgain
        ? new PoisonError('processing_failed', `cannot be processed: ${String(error)}`, error)
        : null,
    };
  }

  /** What the records lead to cannot be written, for a reason that lies in them. */
  commitFailed({ first, last, count }: TransactionRange, error: unknown): void {
    if (count > 1) {
      this.#batch = { last, most: Math.ceil(count / 2) };
      return;
    }
    const poison =
      error instanceof PoisonError
        ? error
        : new PoisonError('commit_failed', `its results cannot be written: ${String(error)}`, error);
    this.#record = { offset: first, error: poison };
  }

  /** Everything before `next` is committed. */
  committed(next: number): void {
    if (this.#record !== null && this.#record.offset < next) this.#record = null;
    if (this.#batch !== null && this.#batch.last < next) this.#batch = null;
  }
}

import { PoisonError } from '#errors/touchline-error.ts';

/** Input records of one transaction: first and last offset, and their number. */
export type TransactionRange = { readonly first: number; readonly last: number; readonly count: number };

type Rejection = {
  readonly error: PoisonError;
  /** Whether the dead letter names the record without its bytes, as it was too large with them. */
  readonly isBare: boolean;
};

/** The failed records of a partition, over all claims: a second failure makes a dead letter; a bad commit is found by halves. */
export class Suspects {
  /** Failed records that are not committed yet, by offset; null for a record with an attempt left. */
  readonly #records = new Map<number, Rejection | null>();
  /** Last offset of the batch whose commit failed, and the maximum records of a transaction up to there. */
  #batch: { readonly last: number; readonly maxRecords: number } | null = null;
  #hasProgress = false;

  /** Returns why a record becomes a dead letter; null when it is to be processed. */
  rejectionOf(offset: number): Rejection | null {
    return this.#records.get(offset) ?? null;
  }

  /** Returns the maximum number of records of a transaction that begins at `offset`. */
  maxRecordsFrom(offset: number): number {
    if (this.#batch === null || offset > this.#batch.last) return Number.POSITIVE_INFINITY;
    return this.#batch.maxRecords;
  }

  /** Records that processing threw an error. After the second one the record becomes a dead letter. */
  processingFailed(offset: number, error: unknown): void {
    const poison = new PoisonError('PROCESSING_FAILED', `cannot be processed: ${String(error)}`, error);
    this.#records.set(offset, this.#records.has(offset) ? { error: poison, isBare: false } : null);
    this.#hasProgress = true;
  }

  /** Records that the results cannot be written because of the records. `letter`: the reason of the only result; null otherwise. */
  commitFailed(range: TransactionRange, error: unknown, letter: PoisonError | null): void {
    const { first, count } = range;
    if (count > 1) {
      this.#halve(range);
      return;
    }
    // Nothing smaller is left to try.
    if (this.rejectionOf(first)?.isBare) return;
    const failure =
      error instanceof PoisonError
        ? error
        : new PoisonError('COMMIT_FAILED', `its results cannot be written: ${String(error)}`, error);
    const bare =
      letter && new PoisonError(letter.code, `${letter.message}; its bytes are only at its offset`, letter);
    this.#records.set(first, { error: bare ?? failure, isBare: bare !== null });
    this.#hasProgress = true;
  }

  /** Records that a transaction took longer than its timeout: the next one has half the records, but at least one. */
  tookTooLong(range: TransactionRange): void {
    if (range.count > 1) this.#halve(range);
  }

  /** Forgets the records before `next`, which are committed. */
  committed(next: number): void {
    for (const offset of this.#records.keys()) if (offset < next) this.#records.delete(offset);
    if (this.#batch !== null && this.#batch.last < next) this.#batch = null;
  }

  /** Whether a failure since the last call changes the next attempt. */
  takeProgress(): boolean {
    const hasProgress = this.#hasProgress;
    this.#hasProgress = false;
    return hasProgress;
  }

  #halve({ last, count }: TransactionRange): void {
    this.#batch = { last, maxRecords: Math.ceil(count / 2) };
    this.#hasProgress = true;
  }
}

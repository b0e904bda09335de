import { setTimeout as delay } from 'node:timers/promises';

type BatchGathererOptions<T> = {
  /** Minimum interval between two batches after `caughtUp`, milliseconds. */
  readonly intervalMs: number;
  /** Returns the number of records in an item. */
  readonly sizeOf: (item: T) => number;
  /** Applies the items of a batch, in order. */
  readonly apply: (items: readonly T[]) => void;
};

/** Number of records at which a batch is applied at once. */
export const FULL_BATCH_RECORDS = 500;

/**
 * Gathers items and applies them in batches. Items that arrive in one turn of the event loop form one batch. An item that
 * arrives too soon after a batch waits; its reader waits too, so that the next fetch finds more.
 */
export class BatchGatherer<T> {
  readonly #options: BatchGathererOptions<T>;
  readonly #failed = new AbortController();
  #gathered: T[] = [];
  #size = 0;
  #next: NodeJS.Immediate | undefined;
  #isLive = false;
  /** Time at which the last batch was applied, by `performance.now()`. */
  #appliedAt = Number.NEGATIVE_INFINITY;

  constructor(options: BatchGathererOptions<T>) {
    this.#options = options;
  }

  /** Aborted with the error of `apply`; no batch is applied after that. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** Adds an item to the next batch. Call again only after it resolved. Throws the error of `apply`. */
  async add(item: T): Promise<void> {
    const early = this.#appliedAt + this.#options.intervalMs - performance.now();
    if (this.#isLive && early > 0) await delay(early);
    this.#gathered.push(item);
    this.#size += this.#options.sizeOf(item);
    if (this.#size >= FULL_BATCH_RECORDS) this.#apply();
    else this.#next ??= setImmediate(() => this.#apply());
    this.failed.throwIfAborted();
  }

  /** Applies the gathered items; from now on keeps the interval between batches. */
  caughtUp(): void {
    this.#apply();
    this.#isLive = true;
  }

  /** Drops the items that were not applied. */
  close(): void {
    clearImmediate(this.#next);
    this.#gathered = [];
  }

  #apply(): void {
    clearImmediate(this.#next);
    this.#next = undefined;
    const items = this.#gathered;
    this.#gathered = [];
    this.#size = 0;
    if (items.length === 0 || this.failed.aborted) return;
    try {
      this.#options.apply(items);
    } catch (error) {
      this.#failed.abort(error);
    }
    this.#appliedAt = performance.now();
  }
}

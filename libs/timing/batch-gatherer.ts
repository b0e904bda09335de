import { setImmediate as turn } from 'node:timers/promises';

type BatchGathererOptions<T> = {
  /** Returns the number of records in an item. */
  readonly sizeOf: (item: T) => number;
  /** Applies the items of a batch, in order. */
  readonly apply: (items: readonly T[]) => void;
};

/** Number of records at which a batch is applied at once. What waits for the event loop, such as a request, has its turn after it. */
export const FULL_BATCH_RECORDS = 100;

/** Gathers items and applies them in batches. Items that arrive in one turn of the event loop, as those of one fetch, form one batch. */
export class BatchGatherer<T> {
  readonly #options: BatchGathererOptions<T>;
  readonly #failed = new AbortController();
  #gathered: T[] = [];
  #size = 0;
  #next: NodeJS.Immediate | undefined;

  constructor(options: BatchGathererOptions<T>) {
    this.#options = options;
  }

  /** Aborted with the error of `apply`; no batch is applied after that. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** Adds an item to the next batch. Resolves when the next one may be added. Rejects with the error of `apply`. */
  async add(item: T): Promise<void> {
    this.#gathered.push(item);
    this.#size += this.#options.sizeOf(item);
    const isFull = this.#size >= FULL_BATCH_RECORDS;
    if (isFull) this.flush();
    else this.#next ??= setImmediate(() => this.flush());
    this.failed.throwIfAborted();
    if (isFull) await turn();
  }

  /** Applies the gathered items now. An error of `apply` aborts `failed`. */
  flush(): void {
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
  }

  /** Drops the items that were not applied. */
  close(): void {
    clearImmediate(this.#next);
    this.#gathered = [];
  }
}

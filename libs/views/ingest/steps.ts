import { setTimeout as delay } from 'node:timers/promises';

export type StepOptions<T> = {
  /** Least time between two steps once everything is live, milliseconds. */
  readonly ms: number;
  readonly sizeOf: (item: T) => number;
  /** Takes what was gathered, in order. */
  readonly take: (items: readonly T[]) => void;
};

/** A step is taken early once it has so much. */
export const MOST_RECORDS = 500;

/**
 * Takes what arrives in steps. What comes in one turn of the event loop is taken together; what comes too soon after a step
 * waits, and holds up whoever reads, so that the next read finds more.
 */
export class Steps<T> {
  readonly #options: StepOptions<T>;
  readonly #failed = new AbortController();
  #gathered: T[] = [];
  #size = 0;
  #next: NodeJS.Immediate | undefined;
  #isLive = false;
  /** By `performance.now()`. */
  #takenAt = Number.NEGATIVE_INFINITY;

  constructor(options: StepOptions<T>) {
    this.#options = options;
  }

  /** Aborted with what `take` threw: nothing is taken after that. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** Adds what is taken with the next step. One call at a time; throws what `take` throws. */
  async add(item: T): Promise<void> {
    const early = this.#takenAt + this.#options.ms - performance.now();
    if (this.#isLive && early > 0) await delay(early);
    this.#gathered.push(item);
    this.#size += this.#options.sizeOf(item);
    if (this.#size >= MOST_RECORDS) this.#take();
    else this.#next ??= setImmediate(() => this.#take());
    this.failed.throwIfAborted();
  }

  /** Takes what was gathered; from now on there is time between two steps. */
  live(): void {
    this.#take();
    this.#isLive = true;
  }

  /** Drops what was not taken. */
  close(): void {
    clearImmediate(this.#next);
    this.#gathered = [];
  }

  #take(): void {
    clearImmediate(this.#next);
    this.#next = undefined;
    const items = this.#gathered;
    this.#gathered = [];
    this.#size = 0;
    if (items.length === 0 || this.failed.aborted) return;
    try {
      this.#options.take(items);
    } catch (error) {
      this.#failed.abort(error);
    }
    this.#takenAt = performance.now();
  }
}

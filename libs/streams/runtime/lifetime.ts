import { defineError } from '#errors/touchline-error.ts';

/** The partition was released while work on it waited; nothing failed. */
export class ClosedError extends defineError('ClosedError', () => ['CLOSED', 'the partition was released']) {}

type Closable = { close(): void | Promise<void> };

/** The lifetime of a claim, and the resources that are closed at its end. */
export class Lifetime {
  readonly #closing = new AbortController();
  readonly #held: Closable[] = [];

  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  get isOver(): boolean {
    return this.#closing.signal.aborted;
  }

  end(): void {
    this.#closing.abort();
  }

  /** Closes all held resources, and ignores their errors. */
  async closeAll(): Promise<void> {
    await Promise.allSettled(this.#held.map(async (held) => held.close()));
  }

  /** Adds a resource that `closeAll` closes. Closes it now and throws `ClosedError` when the lifetime is over. */
  hold<T extends Closable>(held: T): T {
    if (this.isOver) {
      void held.close();
      throw new ClosedError();
    }
    this.#held.push(held);
    return held;
  }

  /** Returns the value of `promise`. Throws `ClosedError` when the lifetime ended meanwhile. */
  async guard<T>(promise: Promise<T>): Promise<T> {
    const result = await promise;
    if (this.isOver) throw new ClosedError();
    return result;
  }
}

import { TouchlineError } from '#errors/touchline-error.ts';

/** It was closed while it waited: nothing failed. */
export class ClosedError extends TouchlineError<'ClosedError'> {
  override readonly name = 'ClosedError';

  constructor() {
    super('CLOSED', 'the partition was released');
  }
}

type Closable = { close(): void | Promise<void> };

/** How long a claim lasts, and what is closed with it. */
export class Lifetime {
  readonly #closing = new AbortController();
  readonly #held: Closable[] = [];

  /** Aborted at its end. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  get isOver(): boolean {
    return this.#closing.signal.aborted;
  }

  end(): void {
    this.#closing.abort();
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled(this.#held.map(async (held) => held.close()));
  }

  /** Closed with it; immediately where it is over. */
  hold<T extends Closable>(held: T): T {
    if (this.isOver) {
      void held.close();
      throw new ClosedError();
    }
    this.#held.push(held);
    return held;
  }

  /** The awaited value, unless it ended meanwhile. */
  async still<T>(waited: Promise<T>): Promise<T> {
    const result = await waited;
    if (this.isOver) throw new ClosedError();
    return result;
  }
}

/** A wait that is shared by all callers who join before it ends. */
export class Linger {
  readonly #ms: number;
  #pending: PromiseWithResolvers<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Resolves `ms` after the first caller joined, or at `end`. */
  join(): Promise<void> {
    if (this.#pending === null) {
      this.#pending = Promise.withResolvers();
      this.#timer = setTimeout(() => this.end(), this.#ms);
    }
    return this.#pending.promise;
  }

  /** Ends the pending wait, if there is one. */
  end(): void {
    clearTimeout(this.#timer);
    this.#pending?.resolve();
    this.#pending = null;
  }
}

/** A wait that everyone shares who joins before it is over. */
export class Linger {
  readonly #ms: number;
  #over: PromiseWithResolvers<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Resolves `ms` after the first one joined, or at `end`. */
  join(): Promise<void> {
    if (this.#over === null) {
      this.#over = Promise.withResolvers();
      this.#timer = setTimeout(() => this.end(), this.#ms);
    }
    return this.#over.promise;
  }

  /** Ends the pending wait, if there is one. */
  end(): void {
    clearTimeout(this.#timer);
    this.#over?.resolve();
    this.#over = null;
  }
}

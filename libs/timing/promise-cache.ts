/** A cache of promises by name: concurrent callers share one request. A rejected promise is removed. */
export class PromiseCache<T> {
  readonly #maxAgeMs: number;
  readonly #entries = new Map<string, { readonly requestedAt: number; readonly response: Promise<T> }>();

  /** `maxAgeMs`: how long after its request an entry is returned, milliseconds. Default: until it is removed. */
  constructor(maxAgeMs = Number.POSITIVE_INFINITY) {
    this.#maxAgeMs = maxAgeMs;
  }

  /** Returns the cached promise, else that of `request`. */
  get(name: string, request: () => Promise<T>): Promise<T> {
    const now = performance.now();
    const cached = this.#entries.get(name);
    if (cached !== undefined && now < cached.requestedAt + this.#maxAgeMs) return cached.response;
    const entry = { requestedAt: now, response: request() };
    this.#entries.set(name, entry);
    entry.response.catch(() => {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
    });
    return entry.response;
  }

  /** Removes one entry, or all without a name. */
  forget(name?: string): void {
    if (name === undefined) this.#entries.clear();
    else this.#entries.delete(name);
  }
}

/** Answers by name, pending ones too: who asks for one that is known or under way causes no request. A failed one is forgotten. */
export class Answers<T> {
  readonly #keptMs: number;
  readonly #known = new Map<string, { readonly askedAt: number; readonly answer: Promise<T> }>();

  /** `keptMs`: how long after its request an answer is given, milliseconds; default: until it is forgotten. */
  constructor(keptMs = Number.POSITIVE_INFINITY) {
    this.#keptMs = keptMs;
  }

  /** The known answer, else that of `ask`. Rejects as that does. */
  of(name: string, ask: () => Promise<T>): Promise<T> {
    const now = performance.now();
    const known = this.#known.get(name);
    if (known !== undefined && now < known.askedAt + this.#keptMs) return known.answer;
    const asked = { askedAt: now, answer: ask() };
    this.#known.set(name, asked);
    asked.answer.catch(() => {
      if (this.#known.get(name) === asked) this.#known.delete(name);
    });
    return asked.answer;
  }

  /** One answer, or all. */
  forget(name?: string): void {
    if (name === undefined) this.#known.clear();
    else this.#known.delete(name);
  }
}

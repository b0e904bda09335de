/** More key lists of one length than this are worked out anew each time. */
const MAX_OF_A_LENGTH = 8;
/** Records with more keys than this are not remembered, nor those with longer ones. */
const MAX_KEYS = 100;
const MAX_KEY_LENGTH = 100;

/**
 * Remembers what follows from the keys of a record and not from their values. A provider writes the keys of its
 * records in the same few orders, so that comparing them with those met before saves sorting and quoting them for
 * every message. What it holds is bounded, whatever it is given.
 */
export class ByKeys<T> {
  readonly #derive: (keys: readonly string[]) => T;
  /** By number of keys. */
  readonly #known: { readonly keys: readonly string[]; readonly derived: T }[][] = [];

  constructor(derive: (keys: readonly string[]) => T) {
    this.#derive = derive;
  }

  /** What follows from the record's own keys, in the order they are met. */
  of(record: object): T {
    const keys = Object.keys(record);
    if (keys.length > MAX_KEYS) return this.#derive(keys);
    let known = this.#known[keys.length];
    if (known === undefined) {
      known = [];
      this.#known[keys.length] = known;
    }
    for (const entry of known) if (same(entry.keys, keys)) return entry.derived;
    const derived = this.#derive(keys);
    const remember = known.length < MAX_OF_A_LENGTH && keys.every((key) => key.length <= MAX_KEY_LENGTH);
    if (remember) known.push({ keys, derived });
    return derived;
  }
}

function same(a: readonly string[], b: readonly string[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

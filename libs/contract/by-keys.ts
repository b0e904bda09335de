/** Most cached key lists of one length; others are computed each time. */
const MAX_OF_A_LENGTH = 8;
/** Records with more or longer keys than this are not cached. */
const MAX_KEYS = 100;
const MAX_KEY_LENGTH = 100;

/**
 * Caches a value that depends on the keys of a record, not on its values. A provider writes the keys of its records in
 * the same few orders, so a comparison with known ones saves sorting and quoting them for every message. The cache is
 * bounded, whatever its input.
 */
export class ByKeys<T> {
  readonly #derive: (keys: readonly string[]) => T;
  /** By number of keys. */
  readonly #known: { readonly keys: readonly string[]; readonly derived: T }[][] = [];

  constructor(derive: (keys: readonly string[]) => T) {
    this.#derive = derive;
  }

  /** The cached or computed value of the record's own keys, in the order of the record. */
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

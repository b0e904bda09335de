import { TouchlineError } from '#errors/touchline-error.ts';

/** Maximum number of cached key lists of one length; for others the value is computed each time. */
const MAX_OF_A_LENGTH = 8;
/** Records with more or longer keys than this are not cached. */
const MAX_KEYS = 100;
const MAX_KEY_LENGTH = 100;

/**
 * A bounded cache of values that depend on the keys of a record alone. A provider writes the keys of its records in the same
 * few orders: the cache saves sorting and quoting them for every message.
 */
export class ByKeys<T> {
  readonly #derive: (keys: readonly string[]) => T;
  /** Cached values by number of keys. */
  readonly #known: { readonly keys: readonly string[]; readonly derived: T }[][] = [];

  constructor(derive: (keys: readonly string[]) => T) {
    this.#derive = derive;
  }

  /** Returns the cached or computed value of the record's own keys, in the order of the record. */
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

/** Whether two lists of the same length are equal. */
function same(a: readonly string[], b: readonly string[]): boolean {
  for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return false;
  return true;
}

/** Maximum nesting; a real record of the provider nests six levels. */
const MAX_DEPTH = 64;

/** A value that has no canonical form. `code`: `TOO_DEEP` (more than 64 levels) or `NOT_JSON` (e.g. Infinity). */
export class CanonicalJsonError extends TouchlineError<'CanonicalJsonError'> {
  override readonly name = 'CanonicalJsonError';
}

/** Keys to write, in canonical order, each with its JSON text. Made by `fieldsOf`. */
export type Fields = readonly { readonly key: string; readonly name: string }[];

/** Returns the fields of these keys. */
export function fieldsOf(keys: readonly string[]): Fields {
  return keys.toSorted().map((key) => ({ key, name: `${JSON.stringify(key)}:` }));
}

const fieldsByKeys = new ByKeys(fieldsOf);

/**
 * Returns the canonical JSON of a parsed value: keys sorted by UTF-16 code unit (also those that look like integers), no
 * spaces. Equal values have the same text, whatever the order of their keys. Throws `CanonicalJsonError`.
 */
export function canonicalJson(value: unknown): string {
  return write(value, MAX_DEPTH);
}

/** Returns the canonical JSON of an object with the given fields only; '{}' if it has none. Throws `CanonicalJsonError`. */
export function canonicalPart(record: object, fields: Fields): string {
  return writeFields(record as Record<string, unknown>, fields, MAX_DEPTH);
}

// Runs for every message: keys are sorted and quoted once for each order in which they come.
function write(value: unknown, depth: number): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new CanonicalJsonError('NOT_JSON', 'a number is not finite');
    return String(value);
  }
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value !== 'object') throw new CanonicalJsonError('NOT_JSON', `a ${typeof value} has no JSON`);
  if (depth === 0) throw new CanonicalJsonError('TOO_DEEP', `nested deeper than ${MAX_DEPTH} levels`);
  if (!Array.isArray(value)) {
    return writeFields(value as Record<string, unknown>, fieldsByKeys.of(value), depth);
  }
  let text = '[';
  for (let i = 0; i < value.length; i++) {
    if (i > 0) text += ',';
    text += write(value[i], depth - 1);
  }
  return `${text}]`;
}

/** The characters that JSON escapes, or may escape: quotes, backslashes, control characters, surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has them as escapes only.
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

function quote(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function writeFields(record: Record<string, unknown>, fields: Fields, depth: number): string {
  let text = '{';
  for (const { key, name } of fields) {
    const value = record[key];
    if (value === undefined) continue;
    if (text.length > 1) text += ',';
    text += name;
    text += write(value, depth - 1);
  }
  return `${text}}`;
}

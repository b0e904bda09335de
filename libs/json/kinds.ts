/** The kinds of the provider's values: each reads every form of its one meaning (docs/reference/lenient-reading.md). */
import { CanonicalJsonError, canonicalJson, MAX_DEPTH } from './canonical-json.ts';
import { INT_MAX, LONG_MAX, toWholeNumber, wholeInText } from './values.ts';

/** The result of reading a value that has no readable form. */
export const UNREADABLE = Symbol('unreadable');

/** Reads a value but null: null where it says nothing, `UNREADABLE` without a readable form. Names in `unread` what it leaves out. */
export type Kind<T> = (value: unknown, path: string, unread: Set<string>) => T | null | typeof UNREADABLE;

/** Half of a character, as a cut in UTF-16 leaves it, was read as this one. */
const REPLACEMENT = '\ufffd';

/** Returns a text; names it where a part of it could not be read. */
function readText(value: string, path: string, unread: Set<string>): string {
  if (value.includes(REPLACEMENT)) unread.add(path);
  return value;
}

/** Whether a value is a text of blanks alone. */
export function isEmpty(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** A whole number from `min` to `max`, as a number or a text. */
export function number(max: number, min = 0): Kind<number> {
  return (value) => {
    const found = typeof value === 'string' ? wholeInText(value) : toWholeNumber(value);
    if (found !== null && found >= min && found <= max) return found;
    return isEmpty(value) ? null : UNREADABLE;
  };
}

/** A whole number of Avro type `int`, and of type `long`. */
export const int = number(INT_MAX);
export const long = number(LONG_MAX);

/** Text, or a number as text. */
export const text: Kind<string> = (value, path, unread) => {
  if (typeof value === 'string') return readText(value, path, unread);
  return Number.isFinite(value) ? String(value) : UNREADABLE;
};

/** Text that no number stands for. */
export const onlyText: Kind<string> = (value, path, unread) =>
  typeof value === 'string' ? readText(value, path, unread) : UNREADABLE;

const YES: ReadonlySet<unknown> = new Set(['yes', 'true', '1', true, 1]);
const NO: ReadonlySet<unknown> = new Set(['no', 'false', '0', false, 0]);

/** The provider's boolean. */
export const yesNo: Kind<boolean> = (value) => {
  const flag = typeof value === 'string' ? canonicalWord(value) : value;
  if (YES.has(flag)) return true;
  if (NO.has(flag)) return false;
  return isEmpty(value) ? null : UNREADABLE;
};

/** One of these words alone. */
export function oneOf(...words: readonly string[]): Kind<string> {
  const known = new Set(words);
  return (value) => {
    const found = typeof value === 'string' ? canonicalWord(value) : '';
    if (known.has(found)) return found;
    return isEmpty(value) ? null : UNREADABLE;
  };
}

/** One of these words in lower case, or any other as the provider writes it. */
export function word(...words: readonly string[]): Kind<string> {
  const known = new Set(words);
  return (value, path, unread) => {
    if (typeof value !== 'string') return UNREADABLE;
    const found = canonicalWord(value);
    if (found === '') return null;
    return known.has(found) ? found : readText(value, path, unread);
  };
}

/** Returns a word as the contract writes words: in lower case, without blanks around it. */
export function canonicalWord(value: string): string {
  return value.trim().toLowerCase();
}

/** Maximum length of the identifier of a message or an incident, bytes of UTF-8. */
const MAX_ID_BYTES = 255;

/** An identifier that is text, such as "5-889947": not empty, not too long, and unchanged by UTF-8. */
export const textId: Kind<string> = (value) => {
  if (Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string') return UNREADABLE;
  if (value !== '' && Buffer.byteLength(value) <= MAX_ID_BYTES && value.isWellFormed()) return value;
  return isEmpty(value) ? null : UNREADABLE;
};

/** The value of a result, statistic or detail: a text, in which a whole number is digits alone. */
export const resultValue: Kind<string> = (value, path, unread) => {
  if (typeof value !== 'string') return Number.isFinite(value) ? String(value) : UNREADABLE;
  const whole = wholeInText(value);
  return whole === null ? readText(value, path, unread) : String(whole);
};

/** Nesting levels of a message around its deepest unknown field, that of a result of a side of an event. */
const NESTING = 5;

/** The canonical JSON of a value that the contract does not name. Unreadable where canonical JSON refuses it, e.g. nested too deeply. */
export const unknownValue: Kind<string> = (value, path, unread) => {
  try {
    return readText(canonicalJson(value, MAX_DEPTH - NESTING), path, unread);
  } catch (error) {
    if (error instanceof CanonicalJsonError) return UNREADABLE;
    throw error;
  }
};

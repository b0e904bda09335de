/** The simple values of the provider's records. */

/** A JSON object whose fields are not known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The maximum of a field of Avro type `int`. */
export const INT_MAX = 2_147_483_647;

/** The maximum of a field of Avro type `long`: one less than the largest safe integer of JavaScript. */
export const LONG_MAX = Number.MAX_SAFE_INTEGER - 1;

/** A whole number in a text: digits, perhaps with a plus sign, zeros after a point and blanks around them. */
const WHOLE_IN_TEXT = /^\s*\+?([0-9]{1,16})(?:\.0*)?\s*$/;

/** Reads the whole number that a text contains, such as " 7 " or "7.0". Returns null for any other text. */
export function wholeInText(text: string): number | null {
  return toWholeNumber(WHOLE_IN_TEXT.exec(text)?.[1]);
}

/** Returns a time of the provider, Unix milliseconds, as a date; null for a number that no date has. */
export function dateOf(milliseconds: number): Date | null {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Whether a value is a whole number from 0 to `max`, as a number or a string of digits. */
export function isWhole(value: unknown, max: number): boolean {
  const number = toWholeNumber(value);
  return number !== null && number >= 0 && number <= max;
}

/** An escape of JSON: a pair of surrogates, the half of one alone (its group), or any other. */
const ESCAPE = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|(ud[89a-f][\da-f]{2})|.)/gi;
const SURROGATE = /\\ud[89a-f]/i;

/** Returns the value of a JSON text. Half of a character is U+FFFD, as it is no UTF-8 and readers refuse it. Throws `SyntaxError`. */
export function readJson(text: string): unknown {
  return JSON.parse(
    SURROGATE.test(text)
      ? text.replace(ESCAPE, (whole, half) => (half === undefined ? whole : '\\ufffd'))
      : text,
  );
}

/** As `readJson`; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** Reads a whole number as the provider writes it: a number, or a string of digits. Returns null for any other value. */
export function toWholeNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null;
  return typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? toWholeNumber(Number(value)) : null;
}

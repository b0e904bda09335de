/** The simple values of the provider's records. */
import { z } from 'zod';
import { toWholeNumber } from './whole-number.ts';

export { toWholeNumber };

/** A JSON object whose fields are not known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Maximum number of UTF-8 bytes for a code unit of UTF-16. */
const UTF8_BYTES = 3;

/** Whether texts together take at most `maxBytes` of UTF-8. */
export function fitsInBytes(texts: readonly string[], maxBytes: number): boolean {
  let units = 0;
  for (const { length } of texts) units += length;
  if (units * UTF8_BYTES <= maxBytes) return true;
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return bytes <= maxBytes;
}

/** The maximum of a field of Avro type `int`. */
export const INT_MAX = 2_147_483_647;

/** The maximum of a field of Avro type `long`: one less than the largest safe integer of JavaScript. */
export const LONG_MAX = Number.MAX_SAFE_INTEGER - 1;

/** Maximum length of the identifier of a message or an incident, bytes of UTF-8. */
const MAX_IDENTIFIER_BYTES = 255;

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

/** Returns the schema of a whole number from 0 to `max`, as a number or a string of digits. */
export function whole(max: number) {
  return z.custom<number | string>(
    (value) => isWhole(value, max),
    `expected a whole number from 0 to ${max}`,
  );
}

/** Returns the schema of `whole`, or none: null or absent. */
export function wholeOrNone(max: number) {
  return z
    .custom<number | string | null | undefined>(
      (value) => value === null || value === undefined || isWhole(value, max),
      `expected a whole number from 0 to ${max}, or null`,
    )
    .optional();
}

/** Text, or empty: null or absent. */
export const textOrNone = z.string('expected text or null').nullish();

/** The provider's boolean, or empty. */
export const yesNoOrNone = z.enum(['yes', 'no'], 'expected yes, no or null').nullish();

/** A result, statistic or detail. */
type IdAndValue = { readonly id: number | string; readonly value?: number | string | null | undefined };

/** A list of results, statistics or details, or empty. Checked by hand: a message has some hundred of them. */
export const valuesOrNone = z
  .custom<IdAndValue[]>()
  .check(({ value, issues }) => {
    const report = (path: PropertyKey[], message: string): void => {
      issues.push({ code: 'custom', path, message, input: undefined });
    };
    if (!Array.isArray(value)) return report([], 'expected a list');
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item !== 'object' || item === null) report([index], 'expected an id and a value');
      else if (!isWhole((item as IdAndValue).id, INT_MAX))
        report([index, 'id'], `expected a whole number from 0 to ${INT_MAX}`);
      else if (!isValue((item as IdAndValue).value))
        report([index, 'value'], 'expected a number, text or null');
    }
  })
  .nullish();

const DIGITS = /^[0-9]*$/;

/** Whether a value is that of a result, statistic or detail: a number, none, or a text, in which a whole number is digits alone. */
export function isValue(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'string') return false;
  return value.length < 2 || DIGITS.test(value) || !WHOLE_IN_TEXT.test(value);
}

/** An identifier that is text, such as "5-889947". */
export const identifier = z
  .string('expected text')
  .refine(isIdentifier, `expected 1 to ${MAX_IDENTIFIER_BYTES} bytes of well-formed text`);

/** Whether a text can be a key: not empty, not too long, and unchanged by UTF-8. */
function isIdentifier(text: string): boolean {
  return text.length > 0 && fitsInBytes([text], MAX_IDENTIFIER_BYTES) && text.isWellFormed();
}

/** An escape of JSON: a pair of surrogates, the half of one alone (its group), or any other. */
const ESCAPE = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|(ud[89a-f][\da-f]{2})|.)/gi;
const SURROGATE = /\\ud[89a-f]/i;

/**
 * Returns the value of a JSON text; undefined if the text is not JSON. Half of a character, as a cut in UTF-16 leaves it, is U+FFFD: it
 * is no UTF-8, and readers of topics and of JSON refuse all that is beside it.
 */
export function parseJson(text: string): unknown {
  const repaired = SURROGATE.test(text)
    ? text.replace(ESCAPE, (whole, half) => (half === undefined ? whole : '\\ufffd'))
    : text;
  try {
    return JSON.parse(repaired);
  } catch {
    return undefined;
  }
}

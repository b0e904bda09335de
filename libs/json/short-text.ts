/** The length of names and other texts of the provider, in views and in answers: text of strangers. */

/** Maximum length of a text, UTF-16 units; ids of incidents, up to 255 bytes, are never cut. */
export const MAX_TEXT = 255;

/** Cuts a text beyond the limit, and marks the cut with an ellipsis. */
export function shortText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const start = text.slice(0, MAX_TEXT - 1);
  return `${start.isWellFormed() ? start : start.slice(0, -1)}…`;
}

/** Half the length of a string that is too long: without quotes it fills a block of these from end to end. */
const BLOCK = 128;

/** Whether a text has a block without a quote, as a long string has, or escaped quotes: much cheaper than parsing it. */
function mayHaveLongString(text: string): boolean {
  if (text.includes('\\"')) return true;
  for (let from = 0; from + BLOCK <= text.length; from += BLOCK) {
    const quote = text.indexOf('"', from);
    if (quote === -1 || quote >= from + BLOCK) return true;
  }
  return false;
}

/**
 * Returns a record of a topic with all texts cut by `shortText`, also those in its JSON texts; the same object where none is too
 * long, which costs a walk over its fields.
 */
export function withShortTexts<T>(value: T): T;
export function withShortTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= MAX_TEXT ? value : shortOf(value);
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  const fields = value as Record<string, unknown>;
  let copy: Record<string, unknown> | null = null;
  for (const key of Object.keys(fields)) {
    const field = fields[key];
    const short = withShortTexts<unknown>(field);
    if (short === field) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    copy[key] = short;
  }
  return copy ?? value;
}

/** Returns a long text cut, or as JSON with its own texts cut where it is an object or a list. */
function shortOf(text: string): string {
  if (text.startsWith('{') || text.startsWith('[')) {
    if (!mayHaveLongString(text)) return text;
    try {
      const value: unknown = JSON.parse(text);
      const short = withShortTexts(value);
      return short === value ? text : JSON.stringify(short);
    } catch {
      // No JSON: a text like any other.
    }
  }
  return shortText(text);
}

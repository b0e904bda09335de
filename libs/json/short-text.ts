/** The length of names and other texts of the provider, in views and in answers: text of strangers. */

/** Maximum length of a text, UTF-16 units; ids of incidents, up to 255 bytes, are never cut. */
export const MAX_TEXT = 255;

/** Cuts a text beyond the limit, and marks the cut with an ellipsis. */
export function shortText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const start = text.slice(0, MAX_TEXT - 1);
  return `${start.isWellFormed() ? start : start.slice(0, -1)}…`;
}

/** Returns a record with all texts cut by `shortText`, also those in JSON of `other`; the same object where none is too long. */
export function withShortTexts<T>(value: T): T {
  return shortValue(value, true) as T;
}

/** `isRecord`: whether the value is a record of a topic, else parsed JSON. */
function shortValue(value: unknown, isRecord: boolean): unknown {
  if (typeof value === 'string') return shortText(value);
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  return withEach(value, (field, name) =>
    isRecord && name === 'other' ? withEach(field as object, shortJson) : shortValue(field, isRecord),
  );
}

function shortJson(text: unknown): unknown {
  if ((text as string).length <= MAX_TEXT) return text;
  const value: unknown = JSON.parse(text as string);
  const short = shortValue(value, false);
  return short === value ? text : JSON.stringify(short);
}

/** Returns an object or a list with each value replaced; the same one where none differs. */
function withEach(value: object, replace: (field: unknown, name: string) => unknown): object {
  const fields = value as Record<string, unknown>;
  let copy: Record<string, unknown> | null = null;
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    const next = replace(field, name);
    if (next === field) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    copy[name] = next;
  }
  return copy ?? value;
}

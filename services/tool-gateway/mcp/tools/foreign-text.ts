/** Names and other texts of the provider in answers: text of strangers, in a conversation that pays for each word. */

/** Maximum length of a text, UTF-16 units; ids of incidents, up to 255 bytes, are never cut. */
export const MAX_TEXT = 255;

/** Fields whose text is Touchline's own, or consists of texts that were cut before. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['act', 'hint', 'text', 'url']);

/** Cuts a text beyond the limit, and marks the cut with an ellipsis. */
export function shortText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const start = text.slice(0, MAX_TEXT - 1);
  return `${start.isWellFormed() ? start : start.slice(0, -1)}…`;
}

/** Returns a copy of JSON data in which `shortText` cut every text, also of fields that are added later. */
export function shortTexts<T>(data: T): T;
export function shortTexts(data: unknown): unknown {
  if (typeof data === 'string') return shortText(data);
  if (Array.isArray(data)) return data.map((item) => shortTexts<unknown>(item));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, OWN_FIELDS.has(name) ? value : shortTexts(value)]),
  );
}

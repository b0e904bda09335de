/** Names and other texts of the provider in answers: text of strangers, in a conversation that pays for each word. */
import { shortText } from '#json/short-text.ts';

/** Fields whose text is Touchline's own, or consists of texts that were cut before. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['act', 'hint', 'text', 'url']);

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

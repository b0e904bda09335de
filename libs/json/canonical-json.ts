import { defineError } from '#errors/touchline-error.ts';

/** Maximum nesting; a real record of the provider nests six levels. */
export const MAX_DEPTH = 64;

/** A value that has no canonical form. `code`: `TOO_DEEP` (more than 64 levels) or `NOT_JSON` (e.g. Infinity). */
export class CanonicalJsonError extends defineError('CanonicalJsonError') {}

/** Returns the canonical JSON of a value: keys sorted by UTF-16 code unit, no spaces. `depth`: maximum nesting. Throws `CanonicalJsonError`. */
export function canonicalJson(value: unknown, depth = MAX_DEPTH): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new CanonicalJsonError('NOT_JSON', 'a number is not finite');
    return String(value);
  }
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value !== 'object') throw new CanonicalJsonError('NOT_JSON', `a ${typeof value} has no JSON`);
  if (depth === 0) throw new CanonicalJsonError('TOO_DEEP', 'nested too deeply');
  if (!Array.isArray(value)) return writeFields(value as Record<string, unknown>, depth);
  return `[${Array.from(value, (item) => canonicalJson(item, depth - 1)).join()}]`;
}

function writeFields(record: Record<string, unknown>, depth: number): string {
  const members = Object.keys(record)
    .sort()
    .flatMap((name) => {
      const value = record[name];
      return value === undefined ? [] : `${JSON.stringify(name)}:${canonicalJson(value, depth - 1)}`;
    });
  return `{${members.join()}}`;
}

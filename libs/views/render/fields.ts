/** What a provider's record may have in a field. */
import type { JsonObject } from '#contract/values.ts';

/** A text of a provider's record; undefined where it has none. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The objects of a list; none of what is no list. */
export function recordsOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : [];
}

/** The simple fields of the contract's records. */
import { z } from 'zod';

export const yesNo = z.enum(['yes', 'no']);

/** A whole number as some providers write it: text of digits. */
export const digits = z.string().regex(/^-?[0-9]{1,16}$/);

/** The provider's value for an unknown text. */
export const empty = z.literal('');

export const int = z.int();

export const text = z.string();

/** An id, a count or a time in Unix seconds. */
export const natural = z.int().min(0);

/** A field that may be missing, or null where unknown. */
export function maybe<S extends z.ZodType>(spec: S) {
  return spec.nullish();
}

/** The simple fields of the contract's records. */
import { z } from 'zod';

export const yesNo = z.enum(['yes', 'no']);

/** A whole number as providers write it in some places: text of digits. */
export const digits = z.string().regex(/^-?[0-9]{1,16}$/);

/** The provider's value for an unknown text. */
export const empty = z.literal('');

/** An integer, also written as text, within 32-bit range. */
export const int = z.int();
/** A text as it is; anything else is unknown. */
export const text = z.string();

/** An id, a count or a time in Unix seconds. */
export const natural = z.int().min(0);

/** A field that may be missing, or null where unknown. */
export function maybe<S extends z.ZodType>(spec: S) {
  return spec.nullish();
}

/** How strictly the contract's records are checked: one definition, two uses. */
import { z } from 'zod';

/**
 * `answer`: exactly the spec, and fields that our servers always have are required.
 * `read`: also what providers were seen to answer instead (docs/reference/rest-answers.md), and hardly any field is required.
 */
export type Mode = 'answer' | 'read';

export const yesNo = z.enum(['yes', 'no']);

/** A whole number as providers write it in some places: text of digits. */
export const digits = z.string().regex(/^-?[0-9]{1,16}$/);

/** The provider's value for an unknown text. */
export const empty = z.literal('');

export const int = z.int();
export const text = z.string();

/** An id, a count or a time in Unix seconds. */
export const natural = z.int().min(0);

/** The differences between the modes. Types are those of `read`: a client meets either kind of server. */
export function modeFields(mode: Mode) {
  return {
    /** `spec` in our answers; parsing also accepts `seen`, observed in this field of a provider's answer. */
    or<S extends z.ZodType, T extends z.ZodType>(spec: S, seen: T) {
      const reading = z.union([spec, seen]);
      return mode === 'answer' ? (spec as unknown as typeof reading) : reading;
    },
    /** A field that our answers always have; a provider may leave it out or send null. */
    always<S extends z.ZodType>(spec: S) {
      const reading = spec.nullish();
      return mode === 'answer' ? (spec as unknown as typeof reading) : reading;
    },
    /** A field that our answers leave out when it is unknown; readers also accept null. */
    optional<S extends z.ZodType>(spec: S) {
      const reading = spec.nullish();
      return mode === 'answer' ? (spec.optional() as unknown as typeof reading) : reading;
    },
  };
}

/** A field that may be missing, or null where unknown. */
export function maybe<S extends z.ZodType>(spec: S) {
  return spec.nullish();
}

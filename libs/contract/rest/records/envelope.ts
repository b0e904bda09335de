/** The envelope around every answer, ours and the providers' (spec, "Response envelope"). */
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

const version = z.string().regex(/^[0-9]+\.[0-9]+\.[0-9]+$/);

/** A URL, or '' if there is no such page. */
const pageUrl = z.string();

/** Returns the schema of our answer around data of this schema. */
export function answerEnvelope<D extends z.ZodType>(name: string, data: D) {
  return z.object({
    api: z.object({
      ver: version,
      timestamp: natural,
      method: z.object({
        name: z.literal(name),
        details: z.literal(name),
        total_items: natural,
        previous_page: pageUrl,
        next_page: pageUrl,
        parameters: z.record(z.string(), z.string()),
      }),
      data,
    }),
  });
}

/** An error of ours. */
export const answerError = z.object({
  api: z.object({
    ver: version,
    timestamp: natural,
    error: z.object({ message: z.string(), internal_code: z.int() }),
  }),
});

const whole = z.union([z.int(), digits.transform(Number)]);

/** An answer of a provider. It may have '' or null as total, a list if there are no parameters, and any version. */
export const readEnvelope = z.looseObject({
  api: z.looseObject({
    ver: z.string().nullish(),
    timestamp: whole,
    method: z.looseObject({
      name: z.string(),
      total_items: z.union([whole, empty]).nullish(),
      next_page: z.string().nullish(),
      parameters: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).nullish(),
    }),
    data: z.unknown(),
  }),
});

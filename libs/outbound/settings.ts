import { z } from 'zod';
import { parseRange } from '#service/addresses.ts';
import { certificates } from '#service/setting-types.ts';
import { AllowedRanges } from './addresses.ts';

const range = z.string().refine((text) => parseRange(text) !== null, {
  error: ({ input }) => `${JSON.stringify(input)} is not a range of addresses, as 10.1.0.0/16 or fd00:1::/64`,
});

const ranges = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .pipe(z.array(range))
  .transform((all) => new AllowedRanges(all));

/** Settings of a process that posts webhooks. */
export const outboundSettings = {
  WEBHOOK_ALLOWED_RANGES: ranges
    .prefault('')
    .describe(
      'Ranges of addresses that webhooks may be sent to beyond public ones, as 10.1.0.0/16, with commas between several.',
    ),
  WEBHOOK_CA_FILE: certificates()
    .optional()
    .describe(
      'File with certificates (PEM) of authorities that receivers of webhooks are trusted by, beyond the usual ones.',
    ),
};

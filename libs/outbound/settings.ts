/** Settings of requests to customers' addresses. */
import { z } from 'zod';
import { certificates } from '#service/setting-types.ts';
import { AddressRangeError, AllowedRanges } from './addresses.ts';

const ranges = z.string().transform((text, context) => {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  try {
    return new AllowedRanges(parts);
  } catch (error) {
    if (!(error instanceof AddressRangeError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
});

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

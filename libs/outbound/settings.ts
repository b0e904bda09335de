/** Settings of requests to customers' addresses. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
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

/** A file with certificates in PEM, read once: the setting's value is the text. */
const certificates = z.string().transform((path, context) => {
  try {
    const pem = readFileSync(path, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch {
    context.addIssue({
      code: 'custom',
      message: 'must be a file that can be read and holds a certificate in PEM',
    });
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
  WEBHOOK_CA_FILE: certificates
    .optional()
    .describe(
      'File with certificates (PEM) of authorities that receivers of webhooks are trusted by, beyond the usual ones.',
    ),
};

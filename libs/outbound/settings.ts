import { z } from 'zod';
import { parseRange } from '#service/addresses.ts';
import { certificates, list } from '#service/setting-types.ts';
import { AllowedRanges } from './addresses.ts';
import { proxySettings } from './proxy.ts';

const range = z.string().refine((text) => parseRange(text) !== null, {
  error: ({ input }) =>
    `${JSON.stringify(input)} is not a range of addresses, such as 10.1.0.0/16 or fd00:1::/64`,
});

const ranges = list(range, 0).transform((all) => new AllowedRanges(all));

export const outboundSettings = {
  ...proxySettings,
  WEBHOOK_ALLOWED_RANGES: ranges
    .prefault('')
    .describe(
      'Ranges of addresses that webhooks may be sent to beside public ones, such as 10.1.0.0/16, with commas between.',
    ),
  WEBHOOK_CA_FILE: certificates()
    .optional()
    .describe('PEM file of further authorities to trust for receivers of webhooks, beside those of Node.'),
};

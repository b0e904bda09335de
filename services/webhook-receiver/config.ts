import { z } from 'zod';
import { LARGEST_BODY_BYTES } from '#ingestion/delivery.ts';
import {
  integer,
  kafkaSettings,
  list,
  listenSettings,
  port,
  processSettings,
  secret,
} from '#service/config.ts';
import { SECRET_LENGTH } from '#signing/signing.ts';

/** The name of the service, also in its dead letters. */
export const SERVICE = 'webhook-receiver';

const KIB = 1024;

const secretText = z.string().length(SECRET_LENGTH, `must have exactly ${SECRET_LENGTH} characters each`);

/** Setting with the secrets of the provider's signatures. */
export const webhookSecret = secret(
  list(secretText).refine(
    (secrets) => secrets.length <= 2,
    'must be one secret, or two while they are rotated',
  ),
);

const fields = z.object({
  ...processSettings,
  ...listenSettings,
  ...kafkaSettings,
  WEBHOOK_PORT: port(8_080).describe('HTTP port of POST /webhook; 0 selects a free one and logs it.'),
  WEBHOOK_SECRET: webhookSecret.describe(
    `Secret of the provider's signatures, ${SECRET_LENGTH} characters; two secrets, separated by a comma, while it is rotated.`,
  ),
  BODY_LIMIT: integer(1, LARGEST_BODY_BYTES, 5 * KIB * KIB).describe(
    'Maximum size of an accepted body, in bytes.',
  ),
  PATIENCE_MS: integer(100, 9_500, 8_000).describe(
    'Timeout for an answer, in milliseconds: less than the ten seconds after which the sender gives up.',
  ),
  QUEUE_LIMIT: integer(KIB * KIB, 1024 * KIB * KIB, 64 * KIB * KIB).describe(
    'Maximum number of bytes of records that wait for the broker. Above it, deliveries get 503.',
  ),
  WEBHOOK_MAX_CONNECTIONS: integer(1, 100_000, 1_024).describe(
    'Maximum number of open connections. Above it, further ones are closed.',
  ),
  WEBHOOK_MAX_UNPROVEN_BYTES: integer(1, 16 * 1024 * KIB * KIB, 64 * KIB * KIB).describe(
    'Maximum number of bytes of bodies whose signature is not verified yet; at least twice BODY_LIMIT. Above it, a body gets 503.',
  ),
});

export const settings = fields.superRefine((config, context) => {
  // A limit that follows from a wrong setting would blame another one.
  if (context.issues.length > 0) return;
  // With less, the largest body would be refused at every repetition.
  const minimum = 2 * config.BODY_LIMIT;
  if (config.WEBHOOK_MAX_UNPROVEN_BYTES < minimum)
    context.addIssue({
      code: 'custom',
      path: ['WEBHOOK_MAX_UNPROVEN_BYTES'],
      message: `must be at least ${minimum}: twice BODY_LIMIT`,
    });
});

export type ReceiverConfig = z.output<typeof settings>;

import { z } from 'zod';
import { LARGEST_BODY_BYTES } from '#ingress/records.ts';
import { integer, kafkaSettings, list, port, processSettings, secret } from '#service/config.ts';
import { SECRET_LENGTH } from '#signing/signing.ts';

const KIB = 1024;

const secretText = z.string().length(SECRET_LENGTH, `must have exactly ${SECRET_LENGTH} characters each`);

/** Settings of the webhook receiver. */
export const receiverConfig = z.object({
  ...processSettings,
  ...kafkaSettings,
  WEBHOOK_PORT: port()
    .prefault('8080')
    .describe('HTTP port of POST /webhook; 0 takes a free one and logs it.'),
  WEBHOOK_SECRET: secret(
    list(secretText).refine(
      (secrets) => secrets.length <= 2,
      'must be one secret, or two while they are rotated',
    ),
  ).describe(
    `Secret of the provider's signatures, ${SECRET_LENGTH} characters; two with a comma between while it is rotated.`,
  ),
  BODY_LIMIT: integer(1, LARGEST_BODY_BYTES)
    .prefault(String(5 * KIB * KIB))
    .describe('Largest body that is taken, in bytes.'),
  PATIENCE_MS: integer(100, 9_500)
    .prefault('8000')
    .describe(
      'Longest time until an answer, in milliseconds: below the ten seconds after which the sender gives up.',
    ),
  WEBHOOK_THREADS: integer(0, 64)
    .prefault('0')
    .describe(
      'Threads that take deliveries in, on one port; 0 takes one for each core, at most four, and one only where this is not Linux.',
    ),
  QUEUE_LIMIT: integer(KIB * KIB, 1024 * KIB * KIB)
    .prefault(String(64 * KIB * KIB))
    .describe(
      'Most bytes of records that wait for the broker, over all threads; deliveries on top of that are answered 503.',
    ),
});

export type ReceiverConfig = z.output<typeof receiverConfig>;

import { availableParallelism } from 'node:os';
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
import { MOST_BESIDE_BODY } from './admission.ts';

/** The name of the service, also in its dead letters. */
export const SERVICE = 'webhook-receiver';

const KIB = 1024;

const secretText = z.string().length(SECRET_LENGTH, `must have exactly ${SECRET_LENGTH} characters each`);

/** Secrets of the webhook signatures. */
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
  WEBHOOK_PORT: port()
    .prefault('8080')
    .describe('HTTP port of POST /webhook; 0 takes a free one and logs it.'),
  WEBHOOK_SECRET: webhookSecret.describe(
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
  WEBHOOK_MAX_CONNECTIONS: integer(1, 100_000)
    .prefault('1024')
    .describe(
      'Most open connections, over all threads; beyond them the oldest is refused with 503 that never brought an authentic delivery.',
    ),
  WEBHOOK_MAX_UNPROVEN_BYTES: integer(1, 16 * 1024 * KIB * KIB)
    .prefault(String(64 * KIB * KIB))
    .describe(
      'Most bytes of bodies whose signature is not proven yet, over all threads, at least BODY_LIMIT and 65 KiB for each; beyond them bodies are refused with 503.',
    ),
});

export const settings = fields.superRefine((config, context) => {
  const threads = threadsOf(config);
  // With less the largest body would be refused each time it is repeated.
  const least = threads * (config.BODY_LIMIT + MOST_BESIDE_BODY);
  if (config.WEBHOOK_MAX_UNPROVEN_BYTES < least) {
    context.addIssue({
      code: 'custom',
      path: ['WEBHOOK_MAX_UNPROVEN_BYTES'],
      message: `must be at least ${least}, BODY_LIMIT and ${MOST_BESIDE_BODY} for each of ${threads} threads`,
    });
  }
  if (config.WEBHOOK_MAX_CONNECTIONS < threads) {
    context.addIssue({
      code: 'custom',
      path: ['WEBHOOK_MAX_CONNECTIONS'],
      message: `must be at least ${threads}, one for each thread`,
    });
  }
});

export type ReceiverConfig = z.output<typeof settings>;

const MOST_BY_DEFAULT = 4;

/**
 * Number of threads of a receiver. By default one for each core, but only Linux spreads connections over threads that
 * share a port; elsewhere one thread would get them all, or it is an error.
 */
export function threadsOf({ WEBHOOK_THREADS }: Pick<ReceiverConfig, 'WEBHOOK_THREADS'>): number {
  if (WEBHOOK_THREADS > 0) return WEBHOOK_THREADS;
  return process.platform === 'linux' ? Math.min(availableParallelism(), MOST_BY_DEFAULT) : 1;
}

import { z } from 'zod';
import { rotatingClientsSettings } from '#clients/keys.ts';
import { outboundSettings } from '#outbound/settings.ts';
import {
  integer,
  kafkaSettings,
  leaderSettings,
  list,
  listenSettings,
  port,
  processorSettings,
  processSettings,
} from '#service/config.ts';

const KIB = 1024;

/** Seconds, with up to three decimals. */
const seconds = z
  .string()
  .regex(/^\d{1,6}(?:\.\d{1,3})?$/, 'must be seconds, with commas between several')
  .transform(Number);

export const settings = z.object({
  ...processSettings,
  ...kafkaSettings,
  ...leaderSettings,
  LEAVE_ON_STOP: processorSettings.LEAVE_ON_STOP,
  ...listenSettings,
  ...rotatingClientsSettings,
  ...outboundSettings,
  DISPATCHER_PORT: port(8_083).describe(
    'HTTP port of POST /test-webhook-url/; 0 takes a free one and logs it.',
  ),
  DISPATCHER_PROXIES: integer(0, 10, 0).describe(
    'Number of proxies in front of DISPATCHER_PORT; their X-Forwarded-For names the client address.',
  ),
  WEBHOOK_TESTS_PER_MINUTE: integer(1, 10_000, 10).describe(
    'Maximum requests of POST /test-webhook-url/ from one client address in a minute.',
  ),
  WEBHOOK_TIMEOUT_MS: integer(100, 60_000, 10_000).describe(
    'Timeout of the whole answer of a receiver, in milliseconds.',
  ),
  WEBHOOK_BATCH_MESSAGES: integer(1, 10_000, 100).describe('Maximum messages of one request.'),
  WEBHOOK_BATCH_BYTES: integer(KIB, 16 * KIB * KIB, 128 * KIB).describe(
    'Maximum bytes of one request; a larger message is sent alone.',
  ),
  WEBHOOK_RETRY_SECONDS: list(seconds)
    .prefault('1,5,8,30,120,300,900,1800,3600')
    .describe(
      'Delays after consecutive failed attempts, in seconds, up to a fifth more or less at random; the last one repeats.',
    ),
  WEBHOOK_DISABLE_HOURS: integer(1, 168, 120).describe(
    'Time of failing attempts after which a subscription is disabled, in hours.',
  ),
  DISPATCHER_WINDOW_BYTES: integer(KIB * KIB, 4096 * KIB * KIB, 64 * KIB * KIB).describe(
    'Bytes of the latest messages in memory, shared by all subscriptions; older ones have half as many.',
  ),
  DISPATCHER_BACKLOG_READS: integer(1, 64, 4).describe(
    'Maximum concurrent reads for subscriptions that are behind the latest messages in memory.',
  ),
});

export type DispatcherConfig = z.output<typeof settings>;

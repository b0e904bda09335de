import { z } from 'zod';
import { rotatingClientsSettings } from '#clients/keys.ts';
import { outboundSettings } from '#outbound/settings.ts';
import { integer, list, listenSettings, port, processorSettings } from '#service/config.ts';

const KIB = 1024;

/** Seconds, with parts of a second. */
const seconds = z
  .string()
  .regex(/^\d{1,6}(?:\.\d{1,3})?$/, 'must be seconds, with commas between several')
  .transform(Number);

export const settings = z.object({
  ...processorSettings,
  ...listenSettings,
  ...rotatingClientsSettings,
  ...outboundSettings,
  DISPATCHER_PORT: port()
    .prefault('8083')
    .describe('HTTP port of POST /test-webhook-url/; 0 takes a free one and logs it.'),
  DISPATCHER_PROXIES: integer(0, 10)
    .prefault('0')
    .describe('Proxies in front of DISPATCHER_PORT, whose X-Forwarded-For says who asks.'),
  WEBHOOK_TESTS_PER_MINUTE: integer(1, 10_000)
    .prefault('10')
    .describe('Requests of POST /test-webhook-url/ that one client address may make a minute.'),
  WEBHOOK_TIMEOUT_MS: integer(100, 60_000)
    .prefault('10000')
    .describe('How long a receiver has for its whole answer, in milliseconds.'),
  WEBHOOK_BATCH_MESSAGES: integer(1, 10_000).prefault('100').describe('Most messages of one request.'),
  WEBHOOK_BATCH_BYTES: integer(KIB, 16 * KIB * KIB)
    .prefault(String(128 * KIB))
    .describe('Most bytes of one request; a larger message goes alone.'),
  WEBHOOK_RETRY_SECONDS: list(seconds)
    .prefault('1,5,30,120,300,900,1800,3600')
    .describe(
      'How long to wait after each failed attempt in a row, in seconds, a fifth more or less at random; the last one for all others.',
    ),
  WEBHOOK_DISABLE_HOURS: integer(1, 168)
    .prefault('120')
    .describe('How long attempts fail before a subscription is disabled, in hours.'),
  DISPATCHER_WINDOW_BYTES: integer(KIB * KIB, 4096 * KIB * KIB)
    .prefault(String(64 * KIB * KIB))
    .describe(
      'Bytes of the latest messages that are held once for all subscriptions, and half as many of older ones.',
    ),
  DISPATCHER_BACKLOG_READS: integer(1, 64)
    .prefault('4')
    .describe('Reads at once for subscriptions that are further behind than that.'),
});

export type DispatcherConfig = z.output<typeof settings>;

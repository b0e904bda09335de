import { z } from 'zod';
import { integer, processorSettings } from '#service/config.ts';

/** The configuration of the service. */
export const settings = z.object({
  ...processorSettings,
  MAX_LOADED_MATCHES: integer(1, 100_000)
    .prefault('256')
    .describe(
      'Maximum number of matches of one partition in memory: the most recently used. If it is above the number of matches of a partition that are live at once, no message waits for the disk.',
    ),
  COMPOSE_WEBHOOKS: z
    .enum(['on', 'off'], 'must be on or off')
    .default('on')
    .describe(
      'Whether the webhook messages of clients are composed. With off, changes of that time have none, also after it is on again.',
    ),
});

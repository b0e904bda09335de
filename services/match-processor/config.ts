import { z } from 'zod';
import { integer, onOff, processorSettings } from '#service/config.ts';

/** The configuration of the service. */
export const settings = z.object({
  ...processorSettings,
  MAX_LOADED_MATCHES: integer(1, 100_000, 256).describe(
    'Maximum number of matches of one partition in memory: the most recently used. If it is above the number of matches of a partition that are live at once, no message waits for the disk.',
  ),
  COMPOSE_WEBHOOKS: onOff('on').describe(
    'Whether the webhook messages of clients are composed. With off, changes of that time have none, also after it is on again.',
  ),
});

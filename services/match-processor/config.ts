import { z } from 'zod';
import { integer, processorSettings } from '#service/config.ts';

/** The configuration of the service. */
export const settings = z.object({
  ...processorSettings,
  KEEP_LOADED_SECONDS: integer(0, 604_800)
    .prefault('900')
    .describe(
      'How long a match stays in memory after the last message received for it, by the times of receipt; it is on disk after that.',
    ),
  MAX_LOADED_MATCHES: integer(1, 100_000)
    .prefault('256')
    .describe(
      'How many matches of one partition stay in memory at most, those used last; above the matches of a partition that are live at once, no message waits for the disk.',
    ),
});

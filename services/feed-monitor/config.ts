import { z } from 'zod';
import { integer, kafkaSettings, leaderSettings, processSettings } from '#service/config.ts';

/** The service's name: its folder, its client id, and the last part of its group. */
export const SERVICE = 'feed-monitor';

const DAY_MS = 86_400_000;

export const settings = z.object({
  ...processSettings,
  ...kafkaSettings,
  ...leaderSettings,
  STALE_AFTER_MS: integer(1_000, DAY_MS)
    .prefault('20000')
    .describe(
      'A match that nothing was received of for so long while its clock runs is stale, in milliseconds.',
    ),
  KEEP_ALIVE_AFTER_MS: integer(1_000, DAY_MS)
    .prefault('90000')
    .describe(
      'The same for a live match whose clock is stopped, where keep-alives of it came before, in milliseconds.',
    ),
  BACKLOG_AFTER_MS: integer(500, DAY_MS)
    .prefault('5000')
    .describe('A match is down when a received message waits for match state for so long, in milliseconds.'),
});

export type MonitorConfig = z.output<typeof settings>;

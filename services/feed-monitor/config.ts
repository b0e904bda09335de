import { z } from 'zod';
import { integer, kafkaSettings, leaderSettings, processSettings } from '#service/config.ts';

/** Name of the service: its folder, its client id, and the last part of its group. */
export const SERVICE = 'feed-monitor';

const DAY_MS = 86_400_000;

export const settings = z.object({
  ...processSettings,
  ...kafkaSettings,
  ...leaderSettings,
  STALE_AFTER_MS: integer(1_000, DAY_MS)
    .prefault('20000')
    .describe('Time without a message, in milliseconds, after which a match whose clock runs is stale.'),
  KEEP_ALIVE_AFTER_MS: integer(1_000, DAY_MS)
    .prefault('90000')
    .describe(
      'Time without a message, in milliseconds, after which a live match whose clock is stopped is stale, once it has sent keep-alives.',
    ),
  BACKLOG_AFTER_MS: integer(500, DAY_MS)
    .prefault('5000')
    .describe(
      'Time, in milliseconds, that a received message may wait for match state before the match is down.',
    ),
});

export type MonitorConfig = z.output<typeof settings>;

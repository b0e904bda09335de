import { z } from 'zod';
import { integer, kafkaSettings, leaderSettings, processSettings } from '#service/config.ts';

/** Name of the service: its folder, its client id, and the last part of its group. */
export const SERVICE = 'feed-monitor';

const DAY_MS = 86_400_000;

export const settings = z.object({
  ...processSettings,
  ...kafkaSettings,
  ...leaderSettings,
  STALE_AFTER_MS: integer(1_000, DAY_MS, 20_000).describe(
    'Age of the newest message of a match whose clock runs, in milliseconds, after which the match is stale.',
  ),
  DELAYED_AFTER_MS: integer(0, DAY_MS, 20_000).describe(
    'Age of a message on its arrival, in milliseconds, above which it is no sign of life, and its match delayed. 0: ages are not judged, for a simulated provider whose clock is not the time.',
  ),
  KEEP_ALIVE_AFTER_MS: integer(1_000, DAY_MS, 90_000).describe(
    'The same of a live match whose clock is stopped, once it has sent keep-alives.',
  ),
  BACKLOG_AFTER_MS: integer(500, DAY_MS, 5_000).describe(
    'Time, in milliseconds, that a received message may wait for match state before the match is down.',
  ),
});

export type MonitorConfig = z.output<typeof settings>;

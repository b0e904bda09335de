import { z } from 'zod';
import {
  httpUrl,
  ids,
  integer,
  kafkaSettings,
  leaderSettings,
  processSettings,
  secret,
} from '#service/config.ts';

/** Name of the service, also in its dead letters. */
export const SERVICE = 'feed-poller';

const DAY = 86_400;
const HOUR_MS = 3_600_000;

const period = (fallback: number, about: string) =>
  integer(50, 24 * HOUR_MS, fallback).describe(`${about}, in milliseconds.`);

export const settings = z
  .object({
    ...processSettings,
    ...kafkaSettings,
    ...leaderSettings,
    PROVIDER_BASE_URL: z
      .union([z.literal(''), httpUrl()], 'must be an http or https address')
      .default('')
      .describe("Address of the provider's REST interface, without /v2; empty: no polling."),
    PROVIDER_CLIENT_ID: z.string().max(255).optional().describe('Client id at the provider.'),
    PROVIDER_SECRET_KEY: secret(z.string().max(1024).optional()).describe('Secret key at the provider.'),
    FOLLOW_SPORTS: ids(1).prefault('5').describe('Sports whose board, schedule and catalogues are read.'),
    FOLLOW_COMPETITIONS: ids(0)
      .prefault('')
      .describe('Competitions whose events are followed; empty: all of the sports.'),
    FOLLOW_SEASONS: ids(0)
      .prefault('')
      .describe('Seasons whose events are followed; empty: all current ones.'),
    FEED_PERIOD_MS: integer(50, 10_000, 2_000).describe(
      'Wait between reads of the feed, in milliseconds; four times as long while no event is live and no message arrives.',
    ),
    LIVESCORE_PERIOD_MS: period(10_000, 'Wait between reads of the live board'),
    SCHEDULE_PERIOD_MS: period(60_000, "Wait between reads of a season's events"),
    CATALOGUE_PERIOD_MS: period(600_000, 'Wait between reads of a catalogue'),
    STANDINGS_PERIOD_MS: period(
      HOUR_MS,
      'Wait between reads of the rankings of national teams and clubs, and of the league tables of a season',
    ),
    UNCONFIRMED_PERIOD_MS: period(
      20_000,
      'Wait between checks of a live event with unconfirmed or missing incidents, or whose last list was refused',
    ),
    SILENCE_MS: period(
      20_000,
      'Silence of the feed after which a live event with a running clock is checked',
    ),
    VERIFY_PERIOD_MS: period(300_000, 'Wait between checks of a finished event that is not verified'),
    VERIFY_DAYS: integer(0, 36_500, 7).describe(
      'Age, in days since its start, after which a finished event counts as verified.',
    ),
    FEED_WINDOW_SECONDS: integer(1, 7 * DAY, 300).describe(
      'Maximum window of one read of the feed, in seconds.',
    ),
    FEED_SETTLE_SECONDS: integer(0, DAY, 75).describe(
      'Time after which the feed adds no more messages to a past second, in seconds; until then each second is read again.',
    ),
    FEED_INITIAL_SECONDS: integer(0, 31 * DAY, DAY).describe(
      'How far back the feed is read when there is no checkpoint, in seconds.',
    ),
    REQUEST_TIMEOUT_MS: integer(100, 120_000, 10_000).describe(
      'Timeout of a request to the provider, in milliseconds.',
    ),
    REQUEST_CONCURRENCY: integer(1, 64, 4).describe(
      'Maximum number of concurrent requests to the provider, beside that of the feed.',
    ),
    RESPONSE_LIMIT: integer(1024, 256 * 1024 * 1024, 32 * 1024 * 1024).describe(
      'Maximum size of an answer of the provider, in bytes.',
    ),
    RETRY_FIRST_MS: integer(1, 60_000, 500).describe(
      'Maximum wait after a first failure, in milliseconds; it doubles with each further one.',
    ),
    RETRY_CEILING_MS: integer(1, HOUR_MS, 60_000).describe(
      'Maximum wait after any failure, in milliseconds.',
    ),
  })
  .refine(
    (config) =>
      config.PROVIDER_BASE_URL === '' ||
      (config.PROVIDER_CLIENT_ID !== undefined && config.PROVIDER_SECRET_KEY !== undefined),
    'PROVIDER_BASE_URL is set, so PROVIDER_CLIENT_ID and PROVIDER_SECRET_KEY must be set too',
  );

export type PollerConfig = z.output<typeof settings>;

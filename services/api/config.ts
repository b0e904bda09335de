import { z } from 'zod';
import { rotatingClientsSettings } from '#clients/keys.ts';
import {
  dataSettings,
  httpUrl,
  integer,
  kafkaSettings,
  listenSettings,
  networks,
  port,
  processSettings,
  rulesSettings,
} from '#service/config.ts';
import { viewSettings } from '#views/store/served.ts';

export const settings = z.object({
  ...processSettings,
  ...listenSettings,
  ...kafkaSettings,
  ...dataSettings,
  ...rotatingClientsSettings,
  ...viewSettings,
  ...rulesSettings,
  API_PORT: port(8_081).describe(
    'HTTP port of the REST contract and the live board; 0 takes a free one and logs it.',
  ),
  API_PUBLIC_URL: httpUrl()
    .optional()
    .describe(
      'Public address of the api: for URLs of result pages, and for the forms and cookies of the board. Default: the scheme and host of the request.',
    ),
  TRUSTED_PROXIES: networks()
    .optional()
    .describe(
      'Addresses and networks of trusted proxies, separated by commas. X-Forwarded-Proto and X-Forwarded-Host are used only when they come from one of them.',
    ),
  API_BOARD: z
    .enum(['on', 'sign-in', 'off'], 'must be on, sign-in or off')
    .default('sign-in')
    .describe(
      'Who may open the live board: sign-in (anyone who signs in as a client), on (also anyone on this machine, if LISTEN_HOST is loopback and neither API_PUBLIC_URL nor TRUSTED_PROXIES is set; not for use behind a proxy), off (nobody).',
    ),
  FEED_RETENTION_HOURS: integer(24, 9_600, 72).describe(
    'Hours for which /v2/feed keeps a message after its receipt. Without time parameters /v2/feed lists the last 24 hours.',
  ),
});

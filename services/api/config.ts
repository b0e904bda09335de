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
} from '#service/config.ts';
import { viewSettings } from '#views/store/served.ts';

export const settings = z.object({
  ...processSettings,
  ...listenSettings,
  ...kafkaSettings,
  ...dataSettings,
  ...rotatingClientsSettings,
  ...viewSettings,
  API_PORT: port()
    .prefault('8081')
    .describe('HTTP port of the served contract and the live board; 0 takes a free one and logs it.'),
  API_PUBLIC_URL: httpUrl()
    .optional()
    .describe(
      'Address that clients reach it by, for the URLs of pages; else the scheme and host that a request asks for.',
    ),
  TRUSTED_PROXIES: networks()
    .optional()
    .describe(
      'Addresses and networks of the proxies in front, with commas between; only they may say, in X-Forwarded-Proto and X-Forwarded-Host, what was asked for.',
    ),
  API_BOARD: z
    .enum(['on', 'sign-in', 'off'], 'must be on, sign-in or off')
    .default('sign-in')
    .describe(
      'Who may open the live board: sign-in (who signs in as a client), on (also whoever is on this machine, where LISTEN_HOST is loopback and neither API_PUBLIC_URL nor TRUSTED_PROXIES is set; not for use behind a proxy), off.',
    ),
  FEED_RETENTION_HOURS: integer(24, 9_600)
    .prefault('72')
    .describe(
      'How long messages stay in /v2/feed after they were received; 24 hours are what it shows by itself.',
    ),
});

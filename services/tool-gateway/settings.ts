import { isIP } from 'node:net';
import { z } from 'zod';
import { clientsSettings } from '#clients/keys.ts';
import { httpUrl, integer, kafkaSettings, list, port, processSettings } from '#service/config.ts';

const NETWORK = /^(?<address>[^/]+)(?:\/(?<bits>\d{1,3}))?$/;

/** Whether a text is an address, or a network as `10.0.0.0/8`. */
function isNetwork(text: string): boolean {
  const { address = '', bits } = NETWORK.exec(text)?.groups ?? {};
  const family = isIP(address);
  return family !== 0 && Number(bits ?? 1) >= 1 && Number(bits ?? 1) <= (family === 4 ? 32 : 128);
}

/** The settings of a tool gateway. */
export const settings = z.object({
  ...processSettings,
  ...kafkaSettings,
  ...clientsSettings,
  TOOLS_PORT: port()
    .prefault('8082')
    .describe('HTTP port of the token exchange and the tool endpoint; 0 takes a free one and logs it.'),
  UPSTREAM_BASE_URL: httpUrl()
    .default('http://localhost:8081')
    .describe('The REST interface, without /v2, that knows the credentials: an api of ours, or a provider.'),
  UPSTREAM_TIMEOUT_MS: integer(100, 60_000)
    .prefault('5000')
    .describe('Longest time for its answer, in milliseconds; after that an exchange is answered 502.'),
  TRUSTED_PROXIES: list(z.string().refine(isNetwork, 'must be addresses or networks as 10.0.0.0/8'))
    .optional()
    .describe(
      'Addresses and networks of the proxies in front, with commas between; only they may say, in X-Forwarded-For, whom a request is from.',
    ),
  TOKEN_LIFETIME_DAYS: integer(0, 3_650)
    .prefault('365')
    .describe('How long a new access token is good for, in days; 0: it does not expire.'),
});

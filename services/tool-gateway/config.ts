import { z } from 'zod';
import { clientsSettings } from '#clients/keys.ts';
import {
  certificates,
  dataSettings,
  httpUrl,
  integer,
  kafkaSettings,
  list,
  listenSettings,
  networks,
  port,
  processSettings,
} from '#service/config.ts';
import { viewSettings } from '#views/store/served.ts';

/** A name as a Host or an Origin header has it, without a port; an IPv6 address in brackets. */
const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,253}[a-z0-9_])?|\[[0-9a-f:.]{2,45}\])$/i;

/** What a browser on the same machine says. */
const LOCAL = 'localhost,127.0.0.1,[::1]';

function hostNames() {
  return list(z.string().regex(HOST_NAME, 'must be names without scheme and port')).prefault(LOCAL);
}

export const settings = z.object({
  ...processSettings,
  ...listenSettings,
  ...kafkaSettings,
  ...dataSettings,
  ...clientsSettings,
  ...viewSettings,
  TOOLS_PORT: port()
    .prefault('8082')
    .describe('HTTP port of the token exchange and the tool endpoint; 0 takes a free one and logs it.'),
  UPSTREAM_BASE_URL: httpUrl()
    .default('http://localhost:8081')
    .describe('The REST interface, without /v2, that knows the credentials: an api of ours, or a provider.'),
  UPSTREAM_CA_FILE: certificates()
    .optional()
    .describe('File with certificates (PEM) of authorities that it is trusted by, beyond the usual ones.'),
  UPSTREAM_TIMEOUT_MS: integer(100, 60_000)
    .prefault('5000')
    .describe('Longest time for its answer, in milliseconds; after that an exchange is answered 502.'),
  TRUSTED_PROXIES: networks()
    .optional()
    .describe(
      'Addresses and networks of the proxies in front, with commas between; only they may say, in X-Forwarded-For, whom a request is from.',
    ),
  TOKEN_LIFETIME_DAYS: integer(0, 3_650)
    .prefault('365')
    .describe('How long a new access token is good for, in days; 0: it does not expire.'),
  MCP_ALLOWED_HOSTS: hostNames().describe(
    'Names that clients reach the tool endpoint by, with commas between, without ports; a request for another one is answered 403.',
  ),
  MCP_ALLOWED_ORIGINS: hostNames().describe(
    'Hosts of web pages whose scripts may call the tool endpoint, with commas between; programs other than browsers send none and may.',
  ),
});

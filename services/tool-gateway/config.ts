import { z } from 'zod';
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

/** A host name as in a Host or Origin header, without its port; an IPv6 address is in brackets. */
const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,253}[a-z0-9_])?|\[[0-9a-f:.]{2,45}\])$/i;

/** Host names that a browser on the same machine sends. */
const LOCAL_HOSTS = 'localhost,127.0.0.1,[::1]';

function hostNames() {
  return list(z.string().regex(HOST_NAME, 'must be names without scheme and port')).prefault(LOCAL_HOSTS);
}

export const settings = z.object({
  ...processSettings,
  ...listenSettings,
  ...kafkaSettings,
  ...dataSettings,
  ...viewSettings,
  TOOLS_PORT: port(8_082).describe(
    'HTTP port of the token exchange and the tool endpoint; 0 takes a free one and logs it.',
  ),
  UPSTREAM_BASE_URL: httpUrl()
    .default('http://localhost:8081')
    .describe('REST interface that checks credentials, without /v2: an api of Touchline, or a provider.'),
  UPSTREAM_CA_FILE: certificates()
    .optional()
    .describe('PEM file of further authorities to trust for UPSTREAM_BASE_URL, beside those of Node.'),
  UPSTREAM_TIMEOUT_MS: integer(100, 60_000, 5_000).describe(
    'Timeout of a request to UPSTREAM_BASE_URL, in milliseconds; the exchange is then answered 502.',
  ),
  BOARD_URL: httpUrl()
    .optional()
    .describe(
      'Address of the live board, such as https://board.example, for links in the answers of search and fetch. Default: links are URIs of resources.',
    ),
  TRUSTED_PROXIES: networks()
    .optional()
    .describe(
      'Addresses and networks of trusted proxies, with commas between; X-Forwarded-For of other senders is ignored.',
    ),
  TOKEN_LIFETIME_DAYS: integer(0, 3_650, 365).describe(
    'Lifetime of a new access token, in days; 0: it does not expire.',
  ),
  MCP_ALLOWED_HOSTS: hostNames().describe(
    'Host names of the tool endpoint, with commas between, without ports; a request for another host is answered 403.',
  ),
  MCP_ALLOWED_ORIGINS: hostNames().describe(
    'Hosts of web pages whose scripts may call the tool endpoint, with commas between; a request without an Origin is allowed.',
  ),
});

import type { Access } from '#contract/rest/provider.ts';

/** The caller of a request, with a personal access token that was valid at that time. */
export type Caller = {
  /** Identifies the token in logs and limits without revealing its text. */
  readonly tokenId: string;
  readonly clientId: number;
};

/** Returns what the contract of a client covers now; undefined for a client that no longer exists. */
export type AccessOf = (clientId: number) => Access | undefined;

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** Returns the bearer token of an `Authorization` header (RFC 6750); null if it has none. */
export function bearerOf(header: string | undefined): string | null {
  return BEARER.exec(header ?? '')?.[1] ?? null;
}

/** Returns `WWW-Authenticate` for a request without a valid token (RFC 6750, section 3): with an error only if it has one. */
export function challenge(authorization: string | undefined): string {
  const realm = 'Bearer realm="touchline"';
  return /^Bearer\b/i.test(authorization ?? '')
    ? `${realm}, error="invalid_token", error_description="unknown, expired or revoked token"`
    : realm;
}

/** Value of `Allow`: every method of the endpoint. */
export const ALLOWED_METHODS = 'GET, POST, DELETE, OPTIONS';

/** Headers that clients of the protocol send. */
const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'accept',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
].join(', ');
/** Headers of answers that a page may read. */
const RESPONSE_HEADERS = 'mcp-session-id, mcp-protocol-version, www-authenticate, retry-after';
/** Time for which a browser caches the answer to a preflight, seconds: the maximum of Chromium. */
const PREFLIGHT_SECONDS = 7_200;

/** Returns the CORS headers of an answer. `origin` is an allowed one; undefined where no page sent the request. */
export function originHeaders(origin: string | undefined): Readonly<Record<string, string>> {
  return origin === undefined
    ? { vary: 'origin' }
    : {
        vary: 'origin',
        'access-control-allow-origin': origin,
        'access-control-expose-headers': RESPONSE_HEADERS,
      };
}

/** Creates the answer to `OPTIONS`, a preflight or not. */
export function optionsAnswer(): Response {
  const headers = {
    allow: ALLOWED_METHODS,
    'access-control-allow-methods': ALLOWED_METHODS,
    'access-control-allow-headers': REQUEST_HEADERS,
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  };
  return new Response(null, { status: 204, headers });
}

/** Headers that let a page of an allowed origin call the endpoint (Fetch standard, "CORS protocol"). */

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

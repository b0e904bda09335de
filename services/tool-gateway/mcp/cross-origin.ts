/** What a browser needs to let a page of an allowed origin call the endpoint (Fetch standard, "CORS protocol"). */

/** Every method of the endpoint, as `Allow` names them. */
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
/** Seconds for which a browser keeps the answer to a preflight; Chromium keeps it no longer. */
const PREFLIGHT_SECONDS = 7_200;

/** Headers of every answer to a page; none where no page asks. `origin` is one that is allowed. */
export function originHeaders(origin: string | undefined): Readonly<Record<string, string>> {
  return origin === undefined
    ? { vary: 'origin' }
    : {
        vary: 'origin',
        'access-control-allow-origin': origin,
        'access-control-expose-headers': RESPONSE_HEADERS,
      };
}

/** The answer to `OPTIONS`, a preflight or not. */
export function optionsAnswer(): Response {
  const headers = {
    allow: ALLOWED_METHODS,
    'access-control-allow-methods': ALLOWED_METHODS,
    'access-control-allow-headers': REQUEST_HEADERS,
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  };
  return new Response(null, { status: 204, headers });
}

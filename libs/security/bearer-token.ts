/** Access tokens of OAuth 2 for connections: from a file that another program renews, or by client credentials. */
import { z } from 'zod';
import { TouchlineError } from '#errors/touchline-error.ts';
import { readSecret, type Secret } from './secret.ts';

/** Where an authorization server issues tokens (RFC 6749, 4.4). */
type TokenEndpoint = {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly scope: string | null;
};

/** A token as it is, or where to get one. */
export type TokenSource = { readonly token: Secret } | { readonly endpoint: TokenEndpoint };

/** No token could be had. Its message has neither the secret nor the answer. */
export class BearerTokenError extends TouchlineError<'BearerTokenError'> {
  override readonly name = 'BearerTokenError';
}

const REQUEST_MS = 5_000;
/** A token is used for this part of its life: a connection must outlast its authentication. */
const USED = 0.8;
/** Of a token whose answer names no life. */
const DEFAULT_SECONDS = 60;

const answerOf = z.object({ access_token: z.string().min(1), expires_in: z.number().positive().optional() });

type Issued = { readonly token: string; readonly until: number };

/** By endpoint and client: every connection of a process asks. */
const issued = new Map<string, Promise<Issued>>();

/** A token that is valid now. Throws `BearerTokenError`, `SecretFileError`. */
export async function bearerToken(source: TokenSource): Promise<string> {
  if ('token' in source) return readSecret(source.token);
  const { endpoint } = source;
  const name = JSON.stringify([endpoint.url, endpoint.clientId, endpoint.scope]);
  const known = await issued.get(name)?.catch(() => null);
  if (known != null && known.until > performance.now()) return known.token;
  const next = requestToken(endpoint);
  issued.set(name, next);
  return (await next).token;
}

async function requestToken({ url, clientId, clientSecret, scope }: TokenEndpoint): Promise<Issued> {
  const credentials = [clientId, readSecret(clientSecret)].map(encodeURIComponent).join(':');
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope === null ? {} : { scope }),
  });
  const askedAt = performance.now();
  // Loaded when needed: few processes ask for tokens.
  const { request } = await import('undici');
  const answer = await request(url, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form.toString(),
    signal: AbortSignal.timeout(REQUEST_MS),
  }).catch((error: Error) => {
    throw new BearerTokenError('TOKEN_ENDPOINT_UNREACHABLE', `no answer of ${url}: ${error.message}`);
  });
  const body: unknown = await answer.body.json().catch(() => null);
  const { data } = answerOf.safeParse(body);
  if (answer.statusCode !== 200 || data === undefined)
    throw new BearerTokenError(
      'TOKEN_REFUSED',
      `${url} issued no token for client ${clientId}: status ${answer.statusCode}`,
    );
  const seconds = data.expires_in ?? DEFAULT_SECONDS;
  return { token: data.access_token, until: askedAt + seconds * USED * 1000 };
}

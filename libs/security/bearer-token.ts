import { z } from 'zod';
import { defineError } from '#errors/touchline-error.ts';
import { readSecret, type Secret } from './secret.ts';

/** The token endpoint of an authorization server, and the client's credentials (RFC 6749, 4.4). */
type TokenEndpoint = {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly scope: string | null;
};

/** A token, or the endpoint that issues one. */
export type TokenSource = { readonly token: Secret } | { readonly endpoint: TokenEndpoint };

/** Thrown when no token was issued. The message contains neither the secret nor the answer. */
export class BearerTokenError extends defineError('BearerTokenError') {}

const REQUEST_MS = 5_000;
/** Share of a token's lifetime in which it is used: it must stay valid while a connection authenticates. */
const USED_SHARE = 0.8;
const DEFAULT_SECONDS = 60;

const answerOf = z.object({ access_token: z.string().min(1), expires_in: z.number().positive().optional() });

/** A token, used until this time of the steady clock. */
type IssuedToken = { readonly token: string; readonly until: number };

/** Tokens by endpoint, client and scope, as every connection of a process needs one. */
const issued = new Map<string, Promise<IssuedToken>>();

/** Returns a valid token. Throws `BearerTokenError`, `SecretFileError`. */
export async function bearerToken(source: TokenSource): Promise<string> {
  if ('token' in source) return readSecret(source.token);
  const { endpoint } = source;
  const key = JSON.stringify([endpoint.url, endpoint.clientId, endpoint.scope]);
  const current = await issued.get(key)?.catch(() => null);
  if (current != null && current.until > performance.now()) return current.token;
  const next = requestToken(endpoint);
  issued.set(key, next);
  return (await next).token;
}

async function requestToken({ url, clientId, clientSecret, scope }: TokenEndpoint): Promise<IssuedToken> {
  const credentials = [clientId, readSecret(clientSecret)].map(encodeURIComponent).join(':');
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope === null ? {} : { scope }),
  });
  const requestedAt = performance.now();
  // Loaded on demand: few processes request tokens.
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
    throw new BearerTokenError('TOKEN_ENDPOINT_UNREACHABLE', `no answer from ${url}: ${error.message}`);
  });
  const body: unknown = await answer.body.json().catch(() => null);
  const { data } = answerOf.safeParse(body);
  if (answer.statusCode !== 200 || data === undefined)
    throw new BearerTokenError(
      'TOKEN_REFUSED',
      `${url} issued no token for client ${clientId}: status ${answer.statusCode}`,
    );
  const seconds = data.expires_in ?? DEFAULT_SECONDS;
  return { token: data.access_token, until: requestedAt + seconds * USED_SHARE * 1000 };
}

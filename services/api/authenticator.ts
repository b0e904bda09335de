import { createSecretKey } from 'node:crypto';
import type { Contracts } from '#clients/contracts.ts';
import { type ClientsKeys, deriveKeys } from '#clients/keys.ts';
import { hashSecret, newSecret, verifySecret } from '#clients/secret.ts';
import type { Authenticator } from '#contract/rest/provider.ts';
import { issueToken, TokenVerifier } from '#signing/token.ts';

/** Lifetime of a token, seconds (spec, "Authentication" 2). */
const TOKEN_SECONDS = 3_600;
const CLIENT_ID = /^[1-9][0-9]{0,15}$/;

/**
 * Creates the exchange of secrets for tokens and the check of tokens. Refusing a wrong secret, an unknown client or an inactive
 * one takes the same time. `clientsKeys`: the deployment's keys, the current one first.
 */
export function createAuthenticator(
  clients: Pick<Contracts, 'find' | 'findHolder'>,
  clientsKeys: ClientsKeys,
): Authenticator {
  // Key objects verify a token several times as fast as key bytes.
  const [first, ...others] = deriveKeys(clientsKeys, 'tokens');
  const key = createSecretKey(first);
  const tokens = new TokenVerifier([key, ...others.map((other) => createSecretKey(other))]);
  // Compared when the client is unknown, so that the check takes as long. Nobody knows its secret.
  const unknownSecretHash = hashSecret(newSecret());

  return {
    async exchange(clientId, secretKey, now) {
      const id = CLIENT_ID.test(clientId) ? Number(clientId) : 0;
      const known = clients.find(id);
      const isRight = verifySecret(secretKey, known?.client.secret_hash ?? unknownSecretHash);
      if (!isRight || known === undefined) return null;
      const expiration = now + TOKEN_SECONDS;
      const { identity } = known.client;
      return { token: issueToken({ clientId: id, expiration, instance: identity }, key), expiration };
    },
    access(token, now) {
      const claims = tokens.verify(token, now);
      return claims === null ? null : (clients.findHolder(claims.clientId, claims.instance)?.access ?? null);
    },
  };
}

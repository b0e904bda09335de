import { createSecretKey } from 'node:crypto';
import type { Contracts } from '#clients/contracts.ts';
import { type ClientsKeys, deriveKeys } from '#clients/keys.ts';
import { hashSecret, newSecret, verifySecret } from '#clients/secret.ts';
import type { Gatekeeper } from '#contract/rest/provider.ts';
import { issueToken, TokenVerifier } from '#signing/token.ts';

/** How long a token is good for, seconds (spec, "Authentication" 2). */
const LIFETIME = 3_600;
const ID = /^[1-9][0-9]{0,15}$/;

/**
 * Exchanges secrets for tokens and verifies tokens. A wrong secret, an unknown client and an inactive one take the
 * same time. `clientsKeys` are the deployment's.
 */
export function createGatekeeper(clients: Pick<Contracts, 'find'>, clientsKeys: ClientsKeys): Gatekeeper {
  // As an object a token is verified several times as fast as with the bytes.
  const [first, ...others] = deriveKeys(clientsKeys, 'tokens');
  const key = createSecretKey(first);
  const tokens = new TokenVerifier([key, ...others.map((other) => createSecretKey(other))]);
  // Compared where there is no client, so that the time is the same; its secret is unknown.
  const nobody = hashSecret(newSecret());

  return {
    async exchange(clientId, secretKey, now) {
      const id = ID.test(clientId) ? Number(clientId) : 0;
      const known = clients.find(id);
      const isRight = verifySecret(secretKey, known?.client.secret_hash ?? nobody);
      if (!isRight || known === undefined) return null;
      const expiration = now + LIFETIME;
      return { token: issueToken(id, expiration, key), expiration };
    },
    access(token, now) {
      const claims = tokens.verify(token, now);
      return claims === null ? null : (clients.find(claims.clientId)?.access ?? null);
    },
  };
}

import { createSecretKey } from 'node:crypto';
import { type ClientsKeys, deriveKeys } from '#clients/keys.ts';
import { hashSecret, isStretched, newSecret, verifySecret, verifyStretched } from '#clients/secret.ts';
import { RestError } from '#contract/rest/errors.ts';
import type { Gatekeeper } from '#contract/rest/provider.ts';
import { issueToken, verifyTokenWithAny } from '#signing/token.ts';
import type { ClientView } from '#views/store/clients.ts';

/** How long a token is good for, seconds (spec, "Authentication" 2). */
const LIFETIME = 3_600;
const ID = /^[1-9][0-9]{0,15}$/;
/** How many secrets are checked against a stretched hash at once; a further one is refused with 503. */
const MAX_STRETCHED_CHECKS = 8;

/**
 * Exchanges secrets for tokens and looks at tokens. A wrong secret, an unknown client and an inactive one take the
 * same time. `clientsKeys` are the deployment's.
 */
export function createGatekeeper(clients: ClientView, clientsKeys: ClientsKeys): Gatekeeper {
  // As an object a token is verified several times as fast as with the bytes.
  const [first, ...others] = deriveKeys(clientsKeys, 'tokens');
  const key = createSecretKey(first);
  const keys = [key, ...others.map((other) => createSecretKey(other))];
  // What is compared where there is no client; nobody knows its secret.
  const nobody = hashSecret(newSecret());
  const stretched = new StretchedSecrets();

  return {
    async exchange(clientId, secretKey, now) {
      const id = ID.test(clientId) ? Number(clientId) : 0;
      const known = clients.find(id);
      const hash = known?.client.secret_hash ?? nobody;
      const isRight = isStretched(hash)
        ? await stretched.verify(id, secretKey, hash)
        : verifySecret(secretKey, hash);
      if (!isRight || known === undefined) return null;
      const expiration = now + LIFETIME;
      return { token: issueToken(id, expiration, key), expiration };
    },
    access(token, now) {
      const claims = verifyTokenWithAny(token, now, keys);
      return claims === null ? null : (clients.find(claims.clientId)?.access ?? null);
    },
  };
}

/**
 * Checks secrets of clients that a former release made. The first right one is upgraded: from then on this process checks
 * the client as cheaply as others, until its secret changes. Guesses before that are bounded.
 */
class StretchedSecrets {
  /** The stretched hash of a client and the keyed hash of the secret that fitted it, by client. */
  readonly #upgraded = new Map<number, { readonly from: string; readonly to: string }>();
  #checks = 0;

  /** Rejects with `RestError` NOT_READY where too many secrets are being checked. */
  async verify(clientId: number, secret: string, hash: string): Promise<boolean> {
    const upgraded = this.#upgraded.get(clientId);
    if (upgraded?.from === hash) return verifySecret(secret, upgraded.to);
    if (this.#checks >= MAX_STRETCHED_CHECKS) throw new RestError('NOT_READY');
    this.#checks += 1;
    try {
      const isRight = await verifyStretched(secret, hash);
      if (isRight) this.#upgraded.set(clientId, { from: hash, to: hashSecret(secret) });
      return isRight;
    } finally {
      this.#checks -= 1;
    }
  }
}

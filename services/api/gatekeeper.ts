import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { type ClientsKeys, deriveKeys } from '#clients/keys.ts';
import { hashSecret, newSecret, verifySecret } from '#clients/secret.ts';
import type { Gatekeeper } from '#contract/rest/provider.ts';
import { issueToken, verifyTokenWithAny } from '#signing/token.ts';
import type { ClientView } from '#views/store/clients.ts';

/** How long a token is good for, seconds (spec, "Authentication" 2). */
const LIFETIME = 3_600;
const ID = /^[1-9][0-9]{0,15}$/;
/** How long a secret that fitted need not be hashed again, seconds, and how many such are remembered. */
const REMEMBERED_FOR = 60;
const MAX_REMEMBERED = 1_000;

/**
 * Exchanges secrets for tokens and looks at tokens. A wrong secret, an unknown client and an inactive one take the
 * same time. `clientsKeys` are the deployment's.
 */
export async function createGatekeeper(clients: ClientView, clientsKeys: ClientsKeys): Promise<Gatekeeper> {
  // As an object a token is verified several times as fast as with the bytes.
  const [first, ...others] = deriveKeys(clientsKeys, 'tokens');
  const key = createSecretKey(first);
  const keys = [key, ...others.map((other) => createSecretKey(other))];
  // What is compared where there is no client; nobody knows its secret.
  const nobody = await hashSecret(newSecret());
  /** Of this process only: what was remembered is worth nothing elsewhere. */
  const own = randomBytes(32);
  const remembered = new Map<string, number>();

  /** The secret itself is not kept, and a new hash of the client's secret forgets it. */
  const memoryOf = (clientId: number, secret: string, hash: string): string =>
    createHmac('sha256', own)
      .update(JSON.stringify([clientId, secret, hash]))
      .digest('base64');

  const fits = async (clientId: number, secret: string, hash: string, now: number): Promise<boolean> => {
    const memory = memoryOf(clientId, secret, hash);
    if ((remembered.get(memory) ?? 0) > now) return true;
    if (!(await verifySecret(secret, hash))) return false;
    remembered.delete(memory);
    remembered.set(memory, now + REMEMBERED_FOR);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= MAX_REMEMBERED) break;
      remembered.delete(oldest);
    }
    return true;
  };

  return {
    async exchange(clientId, secretKey, now) {
      const id = ID.test(clientId) ? Number(clientId) : 0;
      const known = clients.find(id);
      const right = await fits(id, secretKey, known?.client.secret_hash ?? nobody, now);
      if (!right || known === undefined) return null;
      const expiration = now + LIFETIME;
      return { token: issueToken(id, expiration, key), expiration };
    },
    access(token, now) {
      const claims = verifyTokenWithAny(token, now, keys);
      return claims === null ? null : (clients.find(claims.clientId)?.access ?? null);
    },
  };
}

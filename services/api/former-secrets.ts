/** Secrets that former releases stored: as stretched hashes, which the first right use replaces. */
import { scrypt, timingSafeEqual } from 'node:crypto';
import { ClientDirectory } from '#clients/directory.ts';
import { hashSecret, verifySecret } from '#clients/secret.ts';
import type { DirectoryConnection } from '#clients/versioned-topic.ts';
import { RestError } from '#contract/rest/errors.ts';
import { poll } from '#timing/poll.ts';
import type { ClientView } from '#views/store/clients.ts';

/** The form of former releases, with its costs: tens of milliseconds and 16 MiB a check. */
const STRETCHED = /^scrypt\$(\d{1,7})\$(\d{1,3})\$(\d{1,3})\$([\w-]+)\$([\w-]+)$/;

/** Whether a stored hash has the form of former releases, which takes long to check. */
export function isStretched(hashed: string): boolean {
  return STRETCHED.test(hashed);
}

/** How many secrets are checked against a stretched hash at once; a further one is refused with 503. */
const MAX_CHECKS = 8;

/** Stores the keyed hash of a client's secret in place of the stretched one; resolves once this process knows it. Never rejects. */
export type StoreUpgrade = (clientId: number, from: string, to: string) => Promise<void>;

type Upgrade = { readonly from: string; readonly to: string; readonly stored: Promise<void> };

/**
 * Checks secrets of clients that a former release made. The first right one is upgraded, here at once and on the topic soon
 * after: from then on the client is checked as cheaply as others. Guesses before that are bounded.
 */
export class StretchedSecrets {
  readonly #store: StoreUpgrade;
  readonly #upgrades = new Map<number, Upgrade>();
  #checks = 0;

  constructor(store: StoreUpgrade) {
    this.#store = store;
  }

  /** Rejects with `RestError` NOT_READY where too many secrets are being checked. */
  async verify(clientId: number, secret: string, hash: string): Promise<boolean> {
    const known = this.#upgrades.get(clientId);
    if (known?.from === hash) return verifySecret(secret, known.to);
    if (this.#checks >= MAX_CHECKS) throw new RestError('NOT_READY');
    this.#checks += 1;
    try {
      const isRight = await verifyStretched(secret, hash);
      // Others may have been checked meanwhile: one of them is stored.
      if (isRight && this.#upgrades.get(clientId)?.from !== hash)
        this.#upgrade(clientId, hash, hashSecret(secret));
      return isRight;
    } finally {
      this.#checks -= 1;
    }
  }

  /** Resolves once a client's upgrade is stored, or has failed; at once where it has none. */
  async stored(clientId: number): Promise<void> {
    await this.#upgrades.get(clientId)?.stored;
  }

  #upgrade(clientId: number, from: string, to: string): void {
    this.#upgrades.set(clientId, { from, to, stored: this.#store(clientId, from, to) });
  }
}

/** How long the change of a client takes to come back from the topic, milliseconds, at most. */
const KNOWN_WITHIN = { timeoutMs: 3_000, everyMs: 20 };

/** Stores upgraded secrets on the topic of clients. One that cannot be stored is logged: the next process tries again. */
export function upgradeStore({
  place,
  clients,
}: {
  readonly place: DirectoryConnection;
  readonly clients: ClientView;
}): StoreUpgrade {
  const directory = ClientDirectory.open(place);
  return async (clientId, from, to) => {
    try {
      // Its secret may have been rotated, or another process was first.
      await directory.editIf(clientId, (client) =>
        client?.secret_hash === from ? { ...client, secret_hash: to } : null,
      );
      const isKnown = async () => clients.find(clientId)?.client.secret_hash !== from || undefined;
      await poll(isKnown, KNOWN_WITHIN);
      place.log.info({ client: clientId }, 'the hash of a secret of a former release is upgraded');
    } catch (error) {
      place.log.warn({ client: clientId, err: error }, 'the hash of a secret cannot be upgraded');
    }
  };
}

/** Whether the secret is the one that was stretched. Works outside the event loop, in constant time. */
async function verifyStretched(secret: string, hashed: string): Promise<boolean> {
  const [, N, r, p, salt, hash] = STRETCHED.exec(hashed) ?? [];
  if (salt === undefined || hash === undefined) return false;
  const wanted = Buffer.from(hash, 'base64url');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const found = await new Promise<Buffer>((resolve, reject) => {
    scrypt(secret, Buffer.from(salt, 'base64url'), wanted.length, cost, (error, derived) =>
      error ? reject(error) : resolve(derived),
    );
  });
  return timingSafeEqual(wanted, found);
}

import { hashSecret, verifySecret, verifyStretched } from '#clients/secret.ts';
import { RestError } from '#contract/rest/errors.ts';

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

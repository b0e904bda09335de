import type { KeyObject } from 'node:crypto';
import type { Contracts } from '#clients/contracts.ts';
import type { AttemptScope, Client } from '#records/types.ts';
import type { Logger } from '#streams/log.ts';
import { ExchangeError } from './errors.ts';
import type { IssuedToken } from './issuer.ts';
import type { Refusal } from './limits.ts';
import { type ExchangeRequest, MAX_SECRET_BYTES } from './request.ts';
import { digestOf, networkOf } from './subject.ts';

export type ExchangeOptions = {
  readonly count: (scope: AttemptScope, subject: string) => Promise<Refusal>;
  /** Returns the client id that credentials belong to; null when they are refused. */
  readonly check: (clientId: string, secretKey: string) => Promise<string | null>;
  readonly contracts: Pick<Contracts, 'findSoon'>;
  /** Publishes a new token. Throws `ExchangeError`, `PublishError`. */
  readonly issue: (client: Client, label: string | null, nowMs: number) => Promise<IssuedToken>;
  /** Key of the digests of subjects. */
  readonly key: KeyObject;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

/** Time to wait for a client that the upstream already knows and this process does not, milliseconds. */
const CLIENT_DELAY_MS = 1_000;
const CLIENT_ID = /^[1-9][0-9]{0,15}$/;

/** The token exchange (spec, "Token exchange for the tool endpoint"). */
export class TokenExchange {
  readonly #options: ExchangeOptions;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /**
   * Counts an attempt of an address; all texts that are no address share one count. Throws `ExchangeError`
   * `RATE_LIMIT_EXCEEDED`, `AttemptNotCountedError`.
   */
  admitAddress(address: string): Promise<void> {
    return this.#admit('address', networkOf(address) ?? 'unknown');
  }

  /** Exchanges credentials for a token. Throws `ExchangeError`, `AttemptNotCountedError`, `PublishError`. */
  async exchange({ clientId, secretKey, label }: ExchangeRequest): Promise<IssuedToken> {
    const { check, contracts, issue, now, log } = this.#options;
    await this.#admit('client', clientId);
    // Each other spelling of an id has its own limit, so none of them may reach the upstream.
    if (!CLIENT_ID.test(clientId) || Buffer.byteLength(secretKey) > MAX_SECRET_BYTES)
      throw new ExchangeError('INVALID_CREDENTIALS');
    const account = await check(clientId, secretKey);
    if (account === null) throw new ExchangeError('INVALID_CREDENTIALS');
    const id = Number(clientId);
    const known = account === clientId ? await contracts.findSoon(id, CLIENT_DELAY_MS) : undefined;
    if (known === undefined) throw new ExchangeError('TENANT_SLUG_CONFLICT');
    const issued = await issue(known.client, label, now());
    log.info({ client: id, id: issued.token.token_id }, 'an access token was issued');
    return issued;
  }

  async #admit(scope: AttemptScope, text: string): Promise<void> {
    const { count, key, now } = this.#options;
    const refusal = await count(scope, digestOf(key, scope, text));
    if (refusal === null) return;
    const retryAfter = Math.max(1, Math.ceil((refusal.retryAt - now()) / 1000));
    throw new ExchangeError('RATE_LIMIT_EXCEEDED', { retryAfter });
  }
}

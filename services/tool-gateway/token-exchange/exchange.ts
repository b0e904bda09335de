import { normalizeIP } from '@fastify/rate-limit';
import { type AccessTokens, hashToken, isLive, newToken, newTokenId } from '#clients/access-tokens.ts';
import type { Contracts } from '#clients/contracts.ts';
import type { AccessTokenRecord, Client } from '#records/types.ts';
import type { Logger } from '#streams/log.ts';
import { RollingLimit } from '../rolling-limit.ts';
import { ExchangeError, type ExchangeRequest, MAX_SECRET_BYTES } from './request.ts';

export type ExchangeOptions = {
  /** Returns the client id that credentials belong to; null when they are refused. */
  readonly check: (clientId: string, secretKey: string) => Promise<string | null>;
  readonly contracts: Pick<Contracts, 'findSoon'>;
  /** Publishes a new token. Throws `ExchangeError`, `PublishError`. */
  readonly issue: (client: Client, label: string | null, nowMs: number) => Promise<IssuedToken>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

/** Time to wait for a client that the upstream already knows and this process does not, milliseconds. */
const CLIENT_DELAY_MS = 1_000;
/** The limits of attempts (spec, "Limits"), in a rolling window. */
const WINDOW_MS = 15 * 60_000;
const ATTEMPTS_PER_ADDRESS = 30;
const ATTEMPTS_PER_CLIENT = 10;
const CLIENT_ID = /^[1-9][0-9]{0,15}$/;

/** The token exchange (spec, "Token exchange for the tool endpoint"). */
export class TokenExchange {
  readonly #options: ExchangeOptions;
  readonly #byAddress = new RollingLimit(ATTEMPTS_PER_ADDRESS, WINDOW_MS);
  readonly #byClient = new RollingLimit(ATTEMPTS_PER_CLIENT, WINDOW_MS);

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** Counts an attempt of an address, of IPv6 of its /64 network. Throws `ExchangeError` `RATE_LIMIT_EXCEEDED`. */
  admitAddress(address: string): void {
    this.#admit(this.#byAddress, normalizeIP(address));
  }

  /** Exchanges credentials for a token. Throws `ExchangeError`, `PublishError`. */
  async exchange({ clientId, secretKey, label }: ExchangeRequest): Promise<IssuedToken> {
    const { check, contracts, issue, now, log } = this.#options;
    this.#admit(this.#byClient, clientId);
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

  #admit(limit: RollingLimit, key: string): void {
    const waitMs = limit.admit(key, this.#options.now());
    if (waitMs > 0) throw new ExchangeError('RATE_LIMIT_EXCEEDED', { retryAfter: Math.ceil(waitMs / 1000) });
  }
}

type IssuerOptions = {
  readonly tokens: AccessTokens;
  /** Writes a record; resolves once it is acknowledged. */
  readonly write: (token: AccessTokenRecord) => Promise<void>;
  /** Deletes the records that the function selects, beside editors of the topic; not awaited. */
  readonly forget: (isForgotten: (token: AccessTokenRecord) => boolean) => void;
  /** Lifetime of a token, milliseconds; null: it does not expire. */
  readonly lifetimeMs: number | null;
};

/** A record of a token, with the text of the token, which is stored nowhere. */
export type IssuedToken = { readonly text: string; readonly token: AccessTokenRecord };

export const MAX_LIVE_TOKENS = 1_000;
/** Time that a revoked or expired token stays listed, milliseconds. */
export const KEEP_DEAD_MS = 30 * 86_400_000;

/** Returns the `issue` of an exchange. It throws `ExchangeError` `TENANT_SLUG_CONFLICT` above `MAX_LIVE_TOKENS`, and `PublishError`. */
export function tokenIssuer({ tokens, write, forget, lifetimeMs }: IssuerOptions): ExchangeOptions['issue'] {
  return async ({ client_id, identity }, label, nowMs) => {
    const known = tokens.of(client_id);
    const live = known.filter((token) => token.client_identity === identity && isLive(token, nowMs));
    if (live.length >= MAX_LIVE_TOKENS) throw new ExchangeError('TENANT_SLUG_CONFLICT');
    const text = newToken();
    const record: AccessTokenRecord = {
      token_id: newTokenId(),
      client_id,
      client_identity: identity,
      token_hash: hashToken(text),
      label,
      created_at: nowMs,
      expires_at: lifetimeMs === null ? null : nowMs + lifetimeMs,
      revoked_at: null,
      version: 1,
      updated_at: nowMs,
    };
    await write(record);
    tokens.add(record);
    const time = nowMs - KEEP_DEAD_MS;
    const isUnlisted = ({ expires_at, revoked_at }: AccessTokenRecord): boolean =>
      (revoked_at ?? time) < time || (expires_at ?? time) < time;
    // Otherwise the log of a client that exchanges repeatedly would grow without limit.
    if (known.some(isUnlisted)) forget((token) => token.client_id === client_id && isUnlisted(token));
    return { text, token: record };
  };
}

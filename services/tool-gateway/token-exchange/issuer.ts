import { type AccessTokens, hashToken, isLive, newToken, newTokenId } from '#clients/access-tokens.ts';
import type { AccessTokenRecord, Client } from '#records/types.ts';
import type { PublishRecord } from '#streams/client/port.ts';
import type { Codec } from '#topics/codec.ts';
import { ExchangeError } from './request.ts';

type IssuerOptions = {
  readonly tokens: AccessTokens;
  readonly codec: Codec<AccessTokenRecord>;
  /** Name on the broker. */
  readonly topic: string;
  /** Deletes the records that the function selects, beside editors of the topic; not awaited. */
  readonly forget: (isForgotten: (token: AccessTokenRecord) => boolean) => void;
  /** Writes records; resolves once they are acknowledged. */
  readonly publish: (records: readonly PublishRecord[]) => Promise<void>;
  /** Lifetime of a token, milliseconds; null: it does not expire. */
  readonly lifetimeMs: number | null;
};

/** A record of a token, with the text of the token, which is stored nowhere. */
export type IssuedToken = { readonly text: string; readonly token: AccessTokenRecord };

/** Maximum number of live tokens of a client. */
export const MAX_LIVE_TOKENS = 1_000;
/** Time that a revoked or expired token stays listed, milliseconds. */
export const KEEP_DEAD_MS = 30 * 86_400_000;

/** Publishes a client's new token. Throws `ExchangeError` `TENANT_SLUG_CONFLICT` above `MAX_LIVE_TOKENS`, and `PublishError`. */
export async function issueAccessToken(
  { tokens, codec, topic, publish, forget, lifetimeMs }: IssuerOptions,
  { client_id, identity }: Pick<Client, 'client_id' | 'identity'>,
  label: string | null,
  nowMs: number,
): Promise<IssuedToken> {
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
  await publish([{ topic, key: record.token_id, value: codec.encode(record) }]);
  tokens.add(record);
  const isUnlisted = (token: AccessTokenRecord): boolean => diedBefore(token, nowMs - KEEP_DEAD_MS);
  // Otherwise the log of a client that exchanges repeatedly would grow without limit.
  if (known.some(isUnlisted)) forget((token) => token.client_id === client_id && isUnlisted(token));
  return { text, token: record };
}

function diedBefore({ expires_at, revoked_at }: AccessTokenRecord, time: number): boolean {
  return (revoked_at ?? time) < time || (expires_at ?? time) < time;
}

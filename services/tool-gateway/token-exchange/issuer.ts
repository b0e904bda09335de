import { type AccessTokens, hashToken, isLive, newToken, newTokenId } from '#clients/access-tokens.ts';
import type { PublishRecord } from '#streams/client/port.ts';
import type { Codec } from '#topics/codec.ts';
import type { AccessTokenRecord } from '#topics/generated/types.ts';
import { ExchangeError } from './errors.ts';

export type IssuerOptions = {
  readonly tokens: AccessTokens;
  readonly codec: Codec<AccessTokenRecord>;
  /** Name on the broker. */
  readonly topic: string;
  /** Writes records; resolves once they are acknowledged. */
  readonly publish: (records: readonly PublishRecord[]) => Promise<void>;
  /** How long a token is good for, milliseconds; null: it does not expire. */
  readonly lifetimeMs: number | null;
};

/** A token with its text, which is nowhere else. */
export type IssuedToken = { readonly text: string; readonly token: AccessTokenRecord };

/** Most tokens of a client that may be used at a time. */
export const MAX_LIVE_TOKENS = 1_000;
/** How long a revoked or expired token stays listed, milliseconds. */
export const KEEP_DEAD_MS = 30 * 86_400_000;

/**
 * A new token for a client, which is on the topic before it is shown. Throws `ExchangeError` `TENANT_SLUG_CONFLICT` where it
 * has as many as it may have, and `PublishError`.
 */
export async function issueAccessToken(
  { tokens, codec, topic, publish, lifetimeMs }: IssuerOptions,
  clientId: number,
  label: string | null,
  nowMs: number,
): Promise<IssuedToken> {
  const known = tokens.of(clientId);
  if (known.filter((token) => isLive(token, nowMs)).length >= MAX_LIVE_TOKENS)
    throw new ExchangeError('TENANT_SLUG_CONFLICT');
  const text = newToken();
  const record: AccessTokenRecord = {
    token_id: newTokenId(),
    client_id: clientId,
    token_hash: hashToken(text),
    label,
    created_at: nowMs,
    expires_at: lifetimeMs === null ? null : nowMs + lifetimeMs,
    revoked_at: null,
    version: 1,
    updated_at: nowMs,
  };
  const long = known.filter((token) => diedBefore(token, nowMs - KEEP_DEAD_MS));
  await publish([
    { topic, key: record.token_id, value: codec.encode(record) },
    // The log of a client that exchanges again and again must not grow for ever.
    ...long.map(({ token_id: key }) => ({ topic, key, value: null })),
  ]);
  tokens.apply(record);
  return { text, token: record };
}

function diedBefore({ expires_at, revoked_at }: AccessTokenRecord, time: number): boolean {
  return (revoked_at ?? time) < time || (expires_at ?? time) < time;
}

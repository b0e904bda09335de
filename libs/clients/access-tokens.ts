/** Personal access tokens (spec, "Authentication" 7): a token allows the tool endpoint on behalf of its client. */
import { hash, randomBytes } from 'node:crypto';
import type { AccessTokenRecord } from '#records/types.ts';
import type { TopicRecord } from '#topics/follow.ts';

/** Prefix of all tokens, by which people and scanners of secrets recognise one. */
const TOKEN_PREFIX = 'touchline_pat_';
/** Maximum length of a label, in characters (code points; spec, "Limits"). */
export const MAX_LABEL = 256;
const TOKEN_BYTES = 32;
const TOKEN = /^touchline_pat_[\w-]{43}$/;
const ID_BYTES = 8;

/** Creates a token: the prefix and 256 random bits as base64url. Show it once. */
export function newToken(): string {
  return TOKEN_PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Creates the id of a token, which is independent of its text. */
export function newTokenId(): string {
  return randomBytes(ID_BYTES).toString('hex');
}

/** Returns the stored hash of a token. One round without salt is enough, as 256 random bits cannot be guessed. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Whether a token may be used: neither revoked nor expired by `nowMs`. */
export function isLive(
  { expires_at, revoked_at }: Pick<AccessTokenRecord, 'expires_at' | 'revoked_at'>,
  nowMs: number,
): boolean {
  return revoked_at === null && (expires_at === null || nowMs < expires_at);
}

/** All tokens of the topic, in memory. */
export class AccessTokens {
  readonly #byId = new Map<string, AccessTokenRecord>();
  readonly #byHash = new Map<string, string>();

  /** Returns the token with this text; undefined if it is unknown, expired or revoked. */
  find(token: string, nowMs: number): AccessTokenRecord | undefined {
    if (!TOKEN.test(token)) return undefined;
    const known = this.#byId.get(this.#byHash.get(hashToken(token)) ?? '');
    return known !== undefined && isLive(known, nowMs) ? known : undefined;
  }

  of(clientId: number): AccessTokenRecord[] {
    return [...this.#byId.values()].filter(({ client_id }) => client_id === clientId);
  }

  /** Number of known tokens, including revoked and expired ones. */
  get size(): number {
    return this.#byId.size;
  }

  /** Adds a new token, so that the process that published it need not wait until it is read back. */
  add(record: AccessTokenRecord): void {
    if (!this.#byId.has(record.token_id)) this.apply({ key: record.token_id, value: record });
  }

  /** Applies a record of the topic. */
  apply({ key, value }: Pick<TopicRecord<'access-tokens'>, 'key' | 'value'>): void {
    if (value === null) {
      this.#byHash.delete(this.#byId.get(key)?.token_hash ?? '');
      this.#byId.delete(key);
    } else {
      this.#byId.set(key, value);
      this.#byHash.set(value.token_hash, key);
    }
  }
}

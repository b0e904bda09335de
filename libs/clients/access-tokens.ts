/** Personal access tokens (spec, "Authentication" 7): who has one may use the tool endpoint for its client. */
import { createHash, randomBytes } from 'node:crypto';
import type { AccessTokenRecord } from '#topics/generated/types.ts';
import { type Followed, type FollowPlace, followRecords } from './follow-records.ts';
import { supersedes } from './versioned-topic.ts';

/** How tokens begin, so that people and scanners of secrets recognise one. */
const TOKEN_PREFIX = 'touchline_pat_';
/** Longest label, in characters (code points; spec, "Limits"). */
export const MAX_LABEL = 256;
const TOKEN_BYTES = 32;
const TOKEN = /^touchline_pat_[\w-]{43}$/;
const ID_BYTES = 8;

/** A new token: 256 random bits as base64url behind the prefix. To be shown once. */
export function newToken(): string {
  return TOKEN_PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
}

/** A new id of a token, which has nothing of its text. */
export function newTokenId(): string {
  return randomBytes(ID_BYTES).toString('hex');
}

/** What is kept of a token's text. 256 random bits cannot be guessed, so that one round without salt is enough. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether a token may be used: neither revoked nor expired by `nowMs`. */
export function isLive(
  { expires_at, revoked_at }: Pick<AccessTokenRecord, 'expires_at' | 'revoked_at'>,
  nowMs: number,
): boolean {
  return revoked_at === null && (expires_at === null || nowMs < expires_at);
}

/** All tokens as their topic has them, in memory: a change anywhere is known here within moments. */
export class AccessTokens {
  readonly #byId = new Map<string, AccessTokenRecord>();
  readonly #byHash = new Map<string, string>();
  #followed: Followed | undefined;

  private constructor() {}

  /** Resolves once all tokens are known; keeps following until `close`. Throws as `followRecords`. */
  static async follow(place: FollowPlace): Promise<AccessTokens> {
    const tokens = new AccessTokens();
    tokens.#followed = await followRecords({
      ...place,
      topic: 'access-tokens',
      onRecord: (id, record) => (record === null ? tokens.#forget(id) : tokens.apply(record)),
    });
    return tokens;
  }

  /** The token with this text; undefined where it is unknown, expired or revoked. */
  find(token: string, nowMs: number): AccessTokenRecord | undefined {
    if (!TOKEN.test(token)) return undefined;
    const known = this.#byId.get(this.#byHash.get(hashToken(token)) ?? '');
    return known !== undefined && isLive(known, nowMs) ? known : undefined;
  }

  /** The tokens of a client, dead ones too. */
  of(clientId: number): AccessTokenRecord[] {
    return [...this.#byId.values()].filter(({ client_id }) => client_id === clientId);
  }

  /** How many tokens are known, dead ones too. */
  get size(): number {
    return this.#byId.size;
  }

  /** Takes a record of the topic in: what this process wrote need not wait until it is read back. */
  apply(record: AccessTokenRecord): void {
    const { token_id: id, token_hash } = record;
    if (!supersedes(record, this.#byId.get(id))) return;
    this.#byId.set(id, record);
    this.#byHash.set(token_hash, id);
  }

  async close(): Promise<void> {
    await this.#followed?.close();
  }

  #forget(id: string): void {
    const known = this.#byId.get(id);
    if (known === undefined) return;
    this.#byId.delete(id);
    this.#byHash.delete(known.token_hash);
  }
}

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Access, Authenticator } from '#contract/rest/provider.ts';

/** The one client of the provider, and the state of its tokens. */
type AuthenticatorOptions = {
  readonly clientId: string;
  readonly secretKey: string;
  /** Returns real seconds from any zero. */
  readonly elapsed: () => number;
  /** Called at each use of a valid token. When it returns true, all tokens become invalid, this one too. */
  readonly revokes: () => boolean;
};

/** Lifetime of a token in real seconds, independent of the provider's clock. */
const TOKEN_SECONDS = 3600;

/**
 * Authenticates the one client. The expiration of a token is stated on the provider's clock, so that
 * expiration − `api.timestamp` is the lifetime, and enforced on the real clock.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { elapsed, revokes } = options;
  const access: Access = { clientId: Number(options.clientId), competitions: null, operations: null };
  const goodUntil = new Map<string, number>();
  return {
    async exchange(clientId, secretKey, now) {
      if (clientId !== options.clientId || !same(secretKey, options.secretKey)) return null;
      for (const [token, until] of goodUntil) if (until <= elapsed()) goodUntil.delete(token);
      const token = randomBytes(16).toString('hex');
      goodUntil.set(token, elapsed() + TOKEN_SECONDS);
      return { token, expiration: now + TOKEN_SECONDS };
    },
    access(token) {
      const until = goodUntil.get(token);
      if (until === undefined || until <= elapsed()) return null;
      if (!revokes()) return access;
      goodUntil.clear();
      return null;
    },
  };
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

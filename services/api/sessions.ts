import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Contracts } from '#clients/contracts.ts';
import { type ClientsKeys, deriveKeys } from '#clients/keys.ts';
import type { Access, Authenticator } from '#contract/rest/provider.ts';
import { issueToken, newInstance, verifyToken } from '#signing/token.ts';
import type { EndedSessions } from './ended-sessions.ts';

/** Lifetime of a session, seconds: a day of matches. */
export const SESSION_SECONDS = 12 * 3_600;

/** The owner of a session. */
export type Viewer = {
  readonly clientId: number;
  /** Returns the client's current contract; null once the session is over. */
  access(): Access | null;
};

/** Sessions of the live board, opened with a client's credentials. */
export type BoardSessions = ReturnType<typeof createSessions>;

type BoardSessionsOptions = {
  readonly clients: Pick<Contracts, 'find'>;
  readonly authenticator: Pick<Authenticator, 'exchange'>;
  readonly clientsKeys: ClientsKeys;
  readonly ended: Pick<EndedSessions, 'has' | 'end'>;
  /** Unix seconds, fractions included. */
  readonly now: () => number;
};

/**
 * Creates the sessions of the live board. A session is a signed text: every replica with the key accepts it, and only early ends
 * are stored. The signing key depends on the hash of the client's secret, so rotating the secret or disabling the client ends it.
 */
export function createSessions(options: BoardSessionsOptions) {
  const { clients, authenticator, clientsKeys, ended, now } = options;
  const bases = deriveKeys(clientsKeys, 'board-sessions');
  const keyOf = (base: Buffer, secretHash: string): KeyObject =>
    createSecretKey(createHmac('sha256', base).update(secretHash).digest());
  const seconds = (): number => Math.floor(now());
  const viewer = (session: string): Viewer | null => {
    if (ended.has(session)) return null;
    const clientId = Number(/^v1\.(\d+)\./.exec(session)?.[1] ?? 0);
    const known = clients.find(clientId);
    if (known === undefined) return null;
    const { secret_hash } = known.client;
    const keys = bases.values().map((base) => keyOf(base, secret_hash));
    const claims = verifyToken(session, seconds(), keys);
    if (claims === null) return null;
    return {
      clientId,
      access() {
        const current = clients.find(clientId);
        const holds =
          current?.client.secret_hash === secret_hash && now() < claims.expiration && !ended.has(session);
        return holds ? current.access : null;
      },
    };
  };
  return {
    /** Returns null when the text is malformed, expired or ended, or when the client is disabled or has a new secret. */
    viewer,
    /** Ends a session and all copies of it at every replica. Ignores a text that is no session. Rejects with `PublishError`. */
    async end(session: string): Promise<void> {
      const owner = viewer(session);
      if (owner !== null) await ended.end(session, owner.clientId);
    },
    /** Returns the text of a new session; null when the client or its secret is wrong. */
    async open(clientId: string, secretKey: string): Promise<string | null> {
      if ((await authenticator.exchange(clientId, secretKey, seconds())) === null) return null;
      const known = clients.find(Number(clientId));
      if (known === undefined) return null;
      const key = keyOf(bases[0], known.client.secret_hash);
      const claims = { clientId: Number(clientId), expiration: seconds() + SESSION_SECONDS };
      // An instance of its own: signing out of it ends no other session of this second.
      return issueToken({ ...claims, instance: newInstance() }, key);
    },
  };
}

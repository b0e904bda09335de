import { createHmac } from 'node:crypto';
import type { Contracts } from '#clients/contracts.ts';
import { type ClientsKeys, deriveKeys } from '#clients/keys.ts';
import type { Access, Authenticator } from '#contract/rest/provider.ts';
import { issueToken, newInstance, verifyToken } from '#signing/token.ts';
import { growingCache } from '#timing/growing-cache.ts';

/** Lifetime of a session, seconds: a working day. */
export const SESSION_SECONDS = 10 * 3_600;
/** Number of sessions signed out of that are remembered. */
const MAX_ENDED = 100_000;

/** Who may halt and resume trading by hand: a client's session, also where the board is open. */
export type Operator = { readonly name: string; readonly access: Access };

export type BoardSessions = ReturnType<typeof createSessions>;
export type Viewer = NonNullable<ReturnType<BoardSessions['viewer']>>;

/** Creates the sessions of the board: texts that every replica accepts, by a key of the client's secret. Only this process knows who signed out. */
export function createSessions({
  clients,
  authenticator,
  clientsKeys,
  now,
}: {
  readonly clients: Pick<Contracts, 'find'>;
  readonly authenticator: Pick<Authenticator, 'exchange'>;
  readonly clientsKeys: ClientsKeys;
  readonly now: () => number;
}) {
  // Forgets by the monotonic clock: a wall clock that is ahead for a moment makes no session valid again.
  const ended = growingCache<string, true>(MAX_ENDED, SESSION_SECONDS * 1_000);
  const bases = deriveKeys(clientsKeys, 'board-sessions');
  const keyOf = (base: Buffer, secretHash: string): Buffer =>
    createHmac('sha256', base).update(secretHash).digest();
  const seconds = (): number => Math.floor(now());
  const viewer = (session: string) => {
    const clientId = Number(/^v1\.(\d+)\./.exec(session)?.[1] ?? 0);
    const secretHash = clients.find(clientId)?.client.secret_hash ?? '';
    const keys = bases.map((base) => keyOf(base, secretHash));
    const claims = verifyToken(session, seconds(), keys);
    const current = () => {
      const found = clients.find(clientId);
      const holds = claims !== null && now() < claims.expiration && !ended.has(session);
      return holds && found?.client.secret_hash === secretHash ? found : null;
    };
    if (current() === null) return null;
    return {
      clientId,
      /** Returns the client's current contract; null once the session is over. */
      access: (): Access | null => current()?.access ?? null,
      /** Returns the client as one that may halt trading by hand; null where it may not, or the session is over. */
      operator(): Operator | null {
        const holder = current();
        if (holder?.client.may_halt !== true) return null;
        return { name: `client ${clientId} (${holder.client.name})`, access: holder.access };
      },
    };
  };
  return {
    /** Returns null when the text is malformed, expired or ended, or when the client is disabled or has a new secret. */
    viewer,
    /** Ends a session and all copies of it at this process. Ignores a text that is no session. */
    end(session: string): void {
      if (viewer(session) !== null) ended.set(session, true);
    },
    /** Returns the text of a new session; null when the client or its secret is wrong. */
    async open(clientId: string, secretKey: string): Promise<string | null> {
      const given = await authenticator.exchange(clientId, secretKey, seconds());
      const known = given === null ? undefined : clients.find(Number(clientId));
      if (known === undefined) return null;
      const key = keyOf(bases[0], known.client.secret_hash);
      const claims = { clientId: Number(clientId), expiration: seconds() + SESSION_SECONDS };
      // An instance of its own: signing out of it ends no other session of this second.
      return issueToken({ ...claims, instance: newInstance() }, key);
    },
  };
}

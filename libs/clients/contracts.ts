import type { Access } from '#contract/rest/provider.ts';
import type { Client } from '#records/types.ts';
import { poll } from '#timing/poll.ts';
import { type BackgroundReading, type FollowContext, followInBackground } from '#topics/follow.ts';

const POLL_MS = 20;

/** A client, and the served part of what its contract covers. */
type KnownClient = { readonly client: Client; readonly access: Access };

/** All clients of the topic with their contracts, in memory, as every request needs one. */
export class Contracts {
  readonly #narrow: (access: Access) => Access;
  readonly #clients = new Map<number, KnownClient>();
  #follower: BackgroundReading | undefined;

  /** `narrow` returns the served part of what a contract covers. */
  constructor(narrow: (access: Access) => Access) {
    this.#narrow = narrow;
  }

  /** Resolves once all clients are known, and follows the topic until `close`. Throws what `followInBackground` throws. */
  static async follow(context: FollowContext, narrow: (access: Access) => Access): Promise<Contracts> {
    const contracts = new Contracts(narrow);
    contracts.#follower = await followInBackground(['clients'], context, {
      onRecord({ key, value }) {
        if (value === null) contracts.#clients.delete(Number(key));
        else contracts.apply(value);
      },
    });
    return contracts;
  }

  /** Returns a client; undefined if it is unknown or inactive. */
  find(clientId: number): KnownClient | undefined {
    const known = this.#clients.get(clientId);
    return known?.client.active === true ? known : undefined;
  }

  /** Returns the client that a token was issued to; undefined where another client has its id now. */
  findHolder(clientId: number, identity: string): KnownClient | undefined {
    const known = this.find(clientId);
    return known?.client.identity === identity ? known : undefined;
  }

  /** Returns a client that may just have been created: waits for it, `withinMs` at most. */
  findSoon(clientId: number, withinMs: number): Promise<KnownClient | undefined> {
    return poll(() => this.find(clientId), { timeoutMs: withinMs, everyMs: POLL_MS });
  }

  apply(client: Client): void {
    const { client_id, competitions, operations } = client;
    const access = this.#narrow({
      clientId: client_id,
      competitions: competitions === null ? null : new Set(competitions),
      operations: operations === null ? null : new Set(operations),
    });
    this.#clients.set(client_id, { client, access });
  }

  async close(): Promise<void> {
    await this.#follower?.close();
  }
}

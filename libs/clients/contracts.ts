import type { Access } from '#contract/rest/provider.ts';
import { poll } from '#timing/poll.ts';
import type { Client } from '#topics/generated/types.ts';
import { type Followed, type FollowPlace, followRecords } from './follow-records.ts';
import { supersedes } from './versioned-topic.ts';

/** What the contract of a client covers. */
function accessOf({ client_id, competitions, operations }: Client): Access {
  return {
    clientId: client_id,
    competitions: competitions === null ? null : new Set(competitions),
    operations: operations === null ? null : new Set(operations),
  };
}

const LOOK_MS = 20;

/** A client that is active, and what its contract covers of what is served. */
export type KnownClient = { readonly client: Client; readonly access: Access };

/** The clients and their contracts as their topic has them, all in memory: every request asks for one. */
export class Contracts {
  readonly #narrow: (access: Access) => Access;
  readonly #clients = new Map<number, KnownClient>();
  #followed: Followed | undefined;

  /** `narrow`: what a server serves of what a contract covers. */
  constructor(narrow: (access: Access) => Access) {
    this.#narrow = narrow;
  }

  /** Resolves once all clients are known; keeps following until `close`. Throws as `followRecords`. */
  static async follow(place: FollowPlace, narrow: (access: Access) => Access): Promise<Contracts> {
    const contracts = new Contracts(narrow);
    contracts.#followed = await followRecords({
      ...place,
      topic: 'clients',
      onRecord: (id, client) => {
        if (client === null) contracts.#clients.delete(Number(id));
        else contracts.apply(client);
      },
    });
    return contracts;
  }

  /** Undefined where there is no such client, or it is not active. */
  find(clientId: number): KnownClient | undefined {
    const known = this.#clients.get(clientId);
    return known?.client.active === true ? known : undefined;
  }

  /** As `find`, for a client that was made a moment ago: waits until it is known, `withinMs` at most. */
  findSoon(clientId: number, withinMs: number): Promise<KnownClient | undefined> {
    return poll(() => this.find(clientId), { timeoutMs: withinMs, everyMs: LOOK_MS });
  }

  /** Takes a record of the topic in. */
  apply(client: Client): void {
    if (!supersedes(client, this.#clients.get(client.client_id)?.client)) return;
    this.#clients.set(client.client_id, { client, access: this.#narrow(accessOf(client)) });
  }

  async close(): Promise<void> {
    await this.#followed?.close();
  }
}

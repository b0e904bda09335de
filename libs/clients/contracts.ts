import type { Access } from '#contract/rest/provider.ts';
import { poll } from '#timing/poll.ts';
import type { Client } from '#topics/generated/types.ts';
import { Registry } from '#topics/registry.ts';
import { type Followed, followRecords } from './follow-records.ts';
import { type DirectoryConnection, supersedes } from './versioned-topic.ts';

/** What the contract of a client covers. */
export function accessOf({ client_id, competitions, operations }: Client): Access {
  return {
    clientId: client_id,
    competitions: competitions === null ? null : new Set(competitions),
    operations: operations === null ? null : new Set(operations),
  };
}

const LOOK_MS = 20;

/** How clients are followed. */
export type FollowContractsOptions = DirectoryConnection & {
  /** Called when following fails: clients disabled later stay enabled here. */
  readonly onFailure: (error: unknown) => void;
};

/** The contracts of all clients as their topic has them, in memory. */
export class Contracts {
  readonly #clients = new Map<number, { readonly client: Client; readonly access: Access }>();
  #followed: Followed | undefined;

  private constructor() {}

  /** Resolves once all clients are known; keeps following until `close`. Throws as `followRecords`. */
  static async follow(options: FollowContractsOptions): Promise<Contracts> {
    const { brokers, prefix, registryUrl, log, onFailure } = options;
    const contracts = new Contracts();
    contracts.#followed = await followRecords({
      brokers,
      prefix,
      log,
      onFailure,
      topic: 'clients',
      registry: Registry.open({ url: registryUrl, prefix }),
      onRecord: (id, client) => {
        if (client === null) contracts.#clients.delete(Number(id));
        else contracts.#apply(client);
      },
    });
    return contracts;
  }

  /** Undefined where there is no such client, or it is not active. */
  find(clientId: number): Access | undefined {
    const known = this.#clients.get(clientId);
    return known?.client.active === true ? known.access : undefined;
  }

  /** As `find`, for a client that was made a moment ago: waits until it is known, `withinMs` at most. */
  findSoon(clientId: number, withinMs: number): Promise<Access | undefined> {
    return poll(() => this.find(clientId), { timeoutMs: withinMs, everyMs: LOOK_MS });
  }

  async close(): Promise<void> {
    await this.#followed?.close();
  }

  #apply(client: Client): void {
    if (!supersedes(client, this.#clients.get(client.client_id)?.client)) return;
    this.#clients.set(client.client_id, { client, access: accessOf(client) });
  }
}

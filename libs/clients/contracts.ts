import type { Access } from '#contract/rest/provider.ts';
import type { Client } from '#records/types.ts';
import { poll } from '#timing/poll.ts';
import type { TopicRecord } from '#topics/follow.ts';

const POLL_MS = 20;

/** A client, and the served part of what its contract covers. */
type KnownClient = { readonly client: Client; readonly access: Access };

/** All clients of the topic with their contracts, in memory, as every request needs one. */
export class Contracts {
  readonly #narrow: (access: Access) => Access;
  readonly #clients = new Map<number, KnownClient>();

  /** `narrow` returns the served part of what a contract covers. */
  constructor(narrow: (access: Access) => Access) {
    this.#narrow = narrow;
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

  /** Applies a record of the topic. */
  apply({ key, value: client }: Pick<TopicRecord<'clients'>, 'key' | 'value'>): void {
    const clientId = Number(key);
    if (client === null) return void this.#clients.delete(clientId);
    const { competitions, operations } = client;
    const access = this.#narrow({
      clientId,
      competitions: competitions === null ? null : new Set(competitions),
      operations: operations === null ? null : new Set(operations),
    });
    this.#clients.set(clientId, { client, access });
  }
}

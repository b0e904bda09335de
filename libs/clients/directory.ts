import { canonicalJson } from '#contract/canonical-json.ts';
import type { Logger } from '#streams/log.ts';
import { openPublisher } from '#streams/publisher.ts';
import { readTopic } from '#streams/read-topic.ts';
import type { Client } from '#topics/generated/types.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';

/** Where the clients are. */
export type DirectoryPlace = {
  readonly brokers: readonly string[];
  readonly registryUrl: string;
  readonly prefix: string;
  readonly log: Logger;
};

/** Another edit of the same client was always first. */
export class ClientConflictError extends Error {
  override readonly name = 'ClientConflictError';
  readonly code = 'CLIENT_CONFLICT';
}

/**
 * Whether a record of a client stands after those before it in the log: of two edits of the same version the first one
 * does, and whoever made the other makes it again on top.
 */
export function supersedes(record: Client, known: Client | undefined): boolean {
  return known === undefined || record.version > known.version;
}

/** A client as it is to become; `version` and `updated_at` are the directory's. */
export type ClientDraft = Omit<Client, 'version' | 'updated_at'>;

/** The records of each client that stood at their time, in the order of the log. */
type Log = ReadonlyMap<number, readonly Client[]>;

const TRIES = 20;

/**
 * The clients of the served contract, on their compacted topic. Anyone may edit at any time: an edit that another one
 * came between is done again on what that one has left.
 */
export class ClientDirectory {
  readonly #place: DirectoryPlace;
  readonly #registry: Registry;

  private constructor(place: DirectoryPlace) {
    this.#place = place;
    this.#registry = Registry.open({ url: place.registryUrl, prefix: place.prefix });
  }

  /** Asks nothing of the broker yet. */
  static open(place: DirectoryPlace): ClientDirectory {
    return new ClientDirectory(place);
  }

  /** All clients, by id. Throws `StreamError`. */
  async list(): Promise<Client[]> {
    return [...(await this.#read()).values()]
      .flatMap((stood) => stood.at(-1) ?? [])
      .sort((a, b) => a.client_id - b.client_id);
  }

  /**
   * Writes what `change` makes of a client and gives it back once it is in the log. `change` is given undefined where
   * there is no such client, and may be called again. Throws what it throws, `ClientConflictError`, `PublishError`.
   */
  async edit(clientId: number, change: (client: Client | undefined) => ClientDraft): Promise<Client> {
    const codec = await this.#registry.codec('clients');
    const topic = topicName(this.#place.prefix, 'clients');
    const publisher = await openPublisher({
      brokers: this.#place.brokers,
      clientId: 'touchline-clients',
      log: this.#place.log,
    });
    try {
      for (let tries = 0; tries < TRIES; tries++) {
        const base = (await this.#read()).get(clientId)?.at(-1);
        const client: Client = { ...change(base), version: (base?.version ?? 0) + 1, updated_at: Date.now() };
        await publisher.publish([{ topic, key: String(clientId), value: codec.encode(client) }]);
        const stood = (await this.#read()).get(clientId) ?? [];
        if (stood.some((record) => sameEdit(record, client))) return client;
      }
      throw new ClientConflictError(`client ${clientId} is being changed by others, try again`);
    } finally {
      await publisher.close();
    }
  }

  async #read(): Promise<Log> {
    const decoder = this.#registry.decoder('clients');
    const log = new Map<number, Client[]>();
    await readTopic({
      brokers: this.#place.brokers,
      topic: topicName(this.#place.prefix, 'clients'),
      fromBeginning: true,
      untilEnd: true,
      onRecord: async ({ value }) => {
        if (value === null) return;
        const client = await decoder.decode(value);
        const stood = log.get(client.client_id) ?? [];
        if (supersedes(client, stood.at(-1))) log.set(client.client_id, [...stood, client]);
      },
    });
    return log;
  }
}

function sameEdit(a: Client, b: Client): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

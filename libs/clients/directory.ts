import { TouchlineError } from '#errors/touchline-error.ts';
import { canonicalJson } from '#json/canonical-json.ts';
import type { Client, TopicValues } from '#records/types.ts';
import { newInstance } from '#signing/token.ts';
import type { Logger } from '#streams/log.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { readValues, type TopicCluster } from '#topics/read-values.ts';
import { reportUnreadable, type UnreadableRecord } from '#topics/readable.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';

/** The cluster with the topics of clients, and the log. */
type DirectoryConnection = TopicCluster & { readonly log: Logger };

/** Thrown when another edit of the same record always came first. */
class EditConflictError extends TouchlineError<'EditConflictError'> {
  override readonly name = 'EditConflictError';

  constructor(message: string) {
    super('EDIT_CONFLICT', message);
  }
}

/** Thrown for an edit of a record that nobody here can read: it would destroy the record. */
class UnreadableKeyError extends TouchlineError<'UnreadableKeyError'> {
  override readonly name = 'UnreadableKeyError';

  constructor({ topic, offset, key, error }: UnreadableRecord) {
    super(
      'KEY_UNREADABLE',
      `the record of ${topic} with key ${key}, at offset ${offset}, cannot be read, and writing its key would destroy it: ${error.message}; ` +
        'npx touchline doctor names the cause, such as a registry that lost its schemas',
      error,
    );
  }
}

/** The accepted records of each key, in the order of the log, and the keys whose latest record cannot be read. */
type FoundRecords<V> = {
  readonly accepted: ReadonlyMap<string, readonly V[]>;
  readonly unreadable: ReadonlyMap<string, UnreadableRecord>;
};

/** A record before its edit is published, which sets `version` and `updated_at`. */
export type RecordDraft<V> = Omit<V, 'version' | 'updated_at'>;

/**
 * Whether a record replaces the known one of its key. Of two edits of the same version the first in the log counts; the
 * editor of the other one repeats the edit.
 */
export function supersedes<V extends { readonly version: number }>(record: V, known: V | undefined): boolean {
  return known === undefined || record.version > known.version;
}

const MAX_ATTEMPTS = 20;

/**
 * The records of a compacted topic that people edit, at any time: an edit that loses against a concurrent one is
 * repeated on top of that one.
 */
export class VersionedTopic<T extends 'clients' | 'access-tokens'> {
  readonly #topic: T;
  readonly #connection: DirectoryConnection;
  readonly #registry: Registry;

  /** Does not connect yet. */
  constructor(topic: T, connection: DirectoryConnection) {
    this.#topic = topic;
    this.#connection = connection;
    this.#registry = Registry.open({ url: connection.registryUrl, prefix: connection.prefix });
  }

  /** Returns the current record of each key. Throws `StreamError`. */
  async list(): Promise<TopicValues[T][]> {
    return [...(await this.#read()).accepted.values()].flatMap((accepted) => accepted.at(-1) ?? []);
  }

  /** Throws `UnreadableKeyError` when a record cannot be read: a list without it does not show that there is none. */
  async requireReadable(): Promise<void> {
    const [first] = (await this.#read()).unreadable.values();
    if (first !== undefined) throw new UnreadableKeyError(first);
  }

  /**
   * Publishes the record of a key as changed by `change`, and returns it once it is accepted. `change` receives undefined
   * for a missing record, and may be called again. Throws what `change` throws, `UnreadableKeyError`, `EditConflictError`,
   * `PublishError`.
   */
  async edit(
    id: string | number,
    change: (known: TopicValues[T] | undefined) => RecordDraft<TopicValues[T]>,
  ): Promise<TopicValues[T]> {
    const { brokers, prefix, log } = this.#connection;
    const codec = await this.#registry.codec(this.#topic);
    const [topic, key] = [topicName(prefix, this.#topic), String(id)];
    return withPublisher({ brokers, clientId: `touchline-${this.#topic}`, log }, async (publisher) => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const { accepted: before, unreadable } = await this.#read();
        const hidden = unreadable.get(key);
        if (hidden !== undefined) throw new UnreadableKeyError(hidden);
        const base = before.get(key)?.at(-1);
        const draft = change(base);
        const stamps = { version: (base?.version ?? 0) + 1, updated_at: Date.now() };
        // A draft with its stamps is a record, which the compiler cannot tell for a generic topic.
        const record = { ...draft, ...stamps } as unknown as TopicValues[T];
        await publisher.publish([{ topic, key, value: codec.encode(record) }]);
        const accepted = (await this.#read()).accepted.get(key) ?? [];
        if (accepted.some((other) => canonicalJson(other) === canonicalJson(record))) return record;
      }
      throw new EditConflictError(`${this.#topic} ${key} is being changed by others, try again`);
    });
  }

  async #read(): Promise<FoundRecords<TopicValues[T]>> {
    const { brokers, prefix } = this.#connection;
    const records = new Map<string, TopicValues[T][]>();
    const unreadable = new Map<string, UnreadableRecord>();
    const apply = (key: string, record: TopicValues[T] | null, { offset }: ReadRecord): void => {
      // Unreadable records of a batch are reported before the others.
      if (offset > (unreadable.get(key)?.offset ?? offset)) unreadable.delete(key);
      const accepted = records.get(key) ?? [];
      if (record === null) records.delete(key);
      else if (supersedes(record, accepted.at(-1))) records.set(key, [...accepted, record]);
    };
    const onUnreadable = (record: UnreadableRecord): void => {
      if (record.key != null) unreadable.set(record.key, record);
      reportUnreadable(record);
    };
    const source = { brokers, prefix, registry: this.#registry };
    await readValues(this.#topic, source, apply, { onUnreadable });
    return { accepted: records, unreadable };
  }
}

/** A client before its edit is published; the directory gives and keeps its identity. */
export type ClientDraft = Omit<RecordDraft<Client>, 'identity'>;

/** The clients of the served contract, on their compacted topic. */
export class ClientDirectory extends VersionedTopic<'clients'> {
  /** Does not connect yet. */
  static open(connection: DirectoryConnection): ClientDirectory {
    return new ClientDirectory('clients', connection);
  }

  /** Edits a client as `VersionedTopic` does: a new one gets an identity that no earlier client of its id had. */
  override edit(id: string | number, change: (known: Client | undefined) => ClientDraft): Promise<Client> {
    const identity = newInstance();
    return super.edit(id, (known) => ({ ...change(known), identity: known?.identity ?? identity }));
  }

  /** Returns all clients, ordered by id. Throws `StreamError`. */
  override async list(): Promise<Client[]> {
    return (await super.list()).sort((a, b) => a.client_id - b.client_id);
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { withConnections } from '#cluster/access.ts';
import { defineError } from '#errors/touchline-error.ts';
import { canonicalJson } from '#json/canonical-json.ts';
import type { TopicValues } from '#records/types.ts';
import { openStreamClient } from '#streams/client/client.ts';
import {
  type OutputRecord,
  partitionOfKey,
  partitionsUpTo,
  type StreamClient,
  type TopicPartition,
} from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import type { Logger } from '#streams/log.ts';
import { backoffMs } from '#timing/retry.ts';
import { follow, type TopicCluster } from './follow.ts';
import { Registry } from './registry.ts';
import { markRecord, requireTopicMark, type TopicMark, topicIdsName } from './topic-ids.ts';
import { topicName } from './topics.ts';
import { reportUnreadable, type UnreadableRecord } from './unreadable.ts';

/** The cluster with the edited topics, and the log. */
export type EditConnection = TopicCluster & { readonly log: Logger };

/** Thrown when another edit of the same record always came first. */
class EditConflictError extends defineError('EditConflictError', 'EDIT_CONFLICT') {}

/** Thrown for an edit of a record that nobody here can read: it would destroy the record. */
class UnreadableKeyError extends defineError(
  'UnreadableKeyError',
  ({ topic, offset, key, error }: UnreadableRecord) => [
    'KEY_UNREADABLE',
    `the record of ${topic} with key ${key}, at offset ${offset}, cannot be read, and writing its key would destroy it: ${error.message}; ` +
      'npx touchline doctor names the cause, such as a registry that lost its schemas',
    error,
  ],
) {}

/** The last record of each key, and the keys whose last record cannot be read. */
type FoundRecords<V> = {
  readonly records: ReadonlyMap<string, V>;
  readonly unreadable: ReadonlyMap<string, UnreadableRecord>;
};

/** The records that an edit writes, by key; null deletes one. */
type Written<T extends keyof TopicValues> = ReadonlyMap<string, TopicValues[T] | null>;

/** A record before its edit is published, which sets `version` and `updated_at`. */
export type RecordDraft<V> = Omit<V, 'version' | 'updated_at'>;

/** Concurrent editors fence each other: after this many lost attempts something else is wrong. */
const MAX_ATTEMPTS = 20;
/** Waits between attempts; random, so that two editors do not fence each other for ever. */
const RETRY = { firstMs: 20, ceilingMs: 1_000 };

/**
 * The records of a compacted topic that people edit, at any time. The last record of a key counts, for readers as for compaction.
 * Editors share one transactional id: the last one to open its producer fences the others, and reads the topic after that. So a record
 * is only ever written by an editor that has read the one before it; one that is fenced repeats its edit on top of the other's.
 */
export class VersionedTopic<T extends 'clients' | 'access-tokens' | 'trading-halts'> {
  readonly #topic: T;
  readonly #connection: EditConnection;
  readonly #registry: Registry;

  constructor(topic: T, connection: EditConnection) {
    this.#topic = topic;
    this.#connection = connection;
    this.#registry = new Registry({ url: connection.registryUrl, prefix: connection.prefix });
  }

  /** Returns the current record of each key. Throws `StreamError`. */
  async list(): Promise<TopicValues[T][]> {
    return [...(await this.#read()).records.values()];
  }

  /** Throws `UnreadableKeyError` when a record cannot be read: a list without it does not show that there is none. */
  async requireReadable(): Promise<void> {
    const [first] = (await this.#read()).unreadable.values();
    if (first !== undefined) throw new UnreadableKeyError(first);
  }

  /**
   * Publishes a key's record as changed by `change`, which may be called again, with undefined for a missing one. Throws what
   * that throws, `UnreadableKeyError`, `EditConflictError`, `TopicMismatchError` and `StreamError`.
   */
  async edit(
    id: string | number,
    change: (known: TopicValues[T] | undefined) => RecordDraft<TopicValues[T]>,
  ): Promise<TopicValues[T]> {
    const key = String(id);
    const mark = await this.#requireMark();
    /** Attempts whose outcome is unknown: one of them may be the record that is found next. */
    const written: string[] = [];
    return this.#commit({ key, mark }, ({ records, unreadable }) => {
      const hidden = unreadable.get(key);
      if (hidden !== undefined) throw new UnreadableKeyError(hidden);
      const known = records.get(key);
      if (known !== undefined && written.includes(canonicalJson(known)))
        return { result: known, write: new Map() };
      const stamps = { version: (known?.version ?? 0) + 1, updated_at: Date.now() };
      // A draft with its stamps is a record, which the compiler cannot tell for a generic topic.
      const record = { ...change(known), ...stamps } as unknown as TopicValues[T];
      written.push(canonicalJson(record));
      return { result: record, write: new Map([[key, record]]) };
    });
  }

  /** Deletes the records that `isForgotten` selects, as they are when no other editor can change them. Throws as `edit`. */
  async forget(isForgotten: (record: TopicValues[T]) => boolean): Promise<void> {
    await this.#commit({ key: 'records to delete', mark: null }, ({ records }) => ({
      result: null,
      write: new Map([...records].flatMap(([key, record]) => (isForgotten(record) ? [[key, null]] : []))),
    }));
  }

  /**
   * Writes what `decide` returns of the records that are found while all other editors are fenced; again after another one has fenced
   * this one. `key` names the edit in an error.
   */
  async #commit<R>(
    { key, mark }: { readonly key: string; readonly mark: TopicMark | null },
    decide: (found: FoundRecords<TopicValues[T]>) => { readonly result: R; readonly write: Written<T> },
  ): Promise<R> {
    const { brokers, prefix, log } = this.#connection;
    const topic = topicName(prefix, this.#topic);
    const client = openStreamClient({ brokers, clientId: `touchline-${this.#topic}`, log });
    try {
      const partitions = partitionsUpTo(topic, await client.partitionCount(topic));
      const marks = mark === null ? [] : [{ topic: topicIdsName(prefix), partition: 0 }];
      const options = { transactionalId: `${topic}-editor`, shared: [...partitions, ...marks] };
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        try {
          const producer = await client.openProducer(options);
          try {
            const { result, write } = decide(await this.#read());
            await producer.transact(await this.#recordsOf(write, partitions, client, mark));
            return result;
          } finally {
            await producer.close();
          }
        } catch (error) {
          if (!isFencing(error)) throw error;
        }
        await delay(Math.random() * backoffMs(RETRY, attempt));
      }
    } finally {
      await client.close();
    }
    throw new EditConflictError(`${this.#topic} ${key} is being changed by others, try again`);
  }

  /** Returns the records to write. Readers notice a log that lost them by the mark: its end is beyond where the log ends now. */
  async #recordsOf(
    write: Written<T>,
    partitions: readonly TopicPartition[],
    client: StreamClient,
    mark: TopicMark | null,
  ): Promise<OutputRecord[]> {
    // Only now: it may register a schema, which must not take the id of one that the registry lost.
    const codec = await this.#registry.codec(this.#topic);
    const topic = topicName(this.#connection.prefix, this.#topic);
    const records = [...write].map(([id, record]) => ({
      topic,
      partition: partitionOfKey(id, partitions.length),
      key: id,
      value: record === null ? null : codec.encode(record),
    }));
    if (mark === null || records.length === 0) return records;
    const logs = (await client.logBounds(partitions)).map(({ end }, at) => ({
      start: mark.logs[at]?.start ?? 0,
      end: records.some(({ partition }) => partition === at) ? end + 1 : end,
    }));
    return [...records, markRecord(this.#connection.prefix, this.#topic, { ...mark, logs })];
  }

  /** Returns the mark of the topic; null for topics that were created otherwise. Throws `TopicMismatchError` when it was lost. */
  #requireMark(): Promise<TopicMark | null> {
    const { brokers, prefix } = this.#connection;
    return withConnections(brokers, `touchline-${this.#topic}`, (connections) =>
      requireTopicMark(connections, prefix, this.#topic),
    );
  }

  async #read(): Promise<FoundRecords<TopicValues[T]>> {
    const { brokers, prefix } = this.#connection;
    const records = new Map<string, TopicValues[T]>();
    const unreadable = new Map<string, UnreadableRecord>();
    await follow(
      [this.#topic],
      { brokers, prefix, registry: this.#registry },
      {
        untilEnd: true,
        onRecord({ key, value, offset }) {
          // Unreadable records of a batch are reported before the others.
          if (offset > (unreadable.get(key)?.offset ?? offset)) unreadable.delete(key);
          if (value === null) records.delete(key);
          else records.set(key, value);
        },
        onUnreadable(record) {
          if (record.key != null) unreadable.set(record.key, record);
          reportUnreadable(record);
        },
      },
    );
    return { records, unreadable };
  }
}

/** Whether another editor has the transactional id, or takes it right now: the coordinator has no error of its own for the latter. */
function isFencing(error: unknown): boolean {
  return error instanceof StreamError && (error.code === 'FENCED' || error.broker === 'UNKNOWN_SERVER_ERROR');
}

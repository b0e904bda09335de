/** The records of one match in its topics. */

import { offsetsAt, topicBounds } from '#cluster/logs.ts';
import { type LogBounds, partitionHash, partitionKey, type TopicPartition } from '#streams/client/port.ts';
import { type FollowOptions, follow, type ReadRecord } from '#streams/read/follow.ts';
import type { TopicValues } from '#topics/generated/types.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { RENEW_MS } from '#tradability/trading.ts';
import type { OpenCluster } from '../../cluster.ts';
import { decodersOf } from '../../topic-reads.ts';

/** A record with the time at which it was written, Unix milliseconds. */
export type Written<T> = { readonly value: T; readonly written: number };

/** The topics that hold a match, in the partition of its event id. */
const MATCH_TOPICS = ['match-state', 'match-incidents', 'match-transitions'] as const satisfies TopicName[];
type MatchTopic = (typeof MATCH_TOPICS)[number];

export type FollowedRecord = {
  [T in MatchTopic]: { readonly topic: T } & Written<TopicValues[T]>;
}[MatchTopic];

const CLIENT_ID = 'touchline-match';

/** The partition of a match in a topic, by its name on the broker, with its bounds at the opening. */
type OwnLog = TopicPartition & LogBounds;

/** Reads what the topics held of a match when this was opened, and follows what comes after it. Methods reject with `StreamError`, `DecodeError`. */
export class MatchRecords {
  readonly #cluster: OpenCluster;
  readonly #key: string;
  readonly #logs: Readonly<Record<MatchTopic, OwnLog>>;

  private constructor(cluster: OpenCluster, key: string, logs: Readonly<Record<MatchTopic, OwnLog>>) {
    this.#cluster = cluster;
    this.#key = key;
    this.#logs = logs;
  }

  /** Rejects with `StreamError` where no broker answers. */
  static async open(cluster: OpenCluster, eventId: number): Promise<MatchRecords> {
    const { brokers, prefix } = cluster;
    const key = String(eventId);
    const names = MATCH_TOPICS.map((topic) => topicName(prefix, topic));
    const bounds = await topicBounds({ brokers, clientId: CLIENT_ID }, names);
    const logs = MATCH_TOPICS.map((topic, at) => {
      const all = bounds.filter((of) => of.topic === names[at]);
      const own = partitionHash(Buffer.from(key)) % all.length;
      return [topic, all.find(({ partition }) => partition === own)];
    });
    return new MatchRecords(cluster, key, Object.fromEntries(logs));
  }

  /** The records with a value, in order: at least those written from `from` to before `until`, Unix milliseconds. */
  async read<T extends MatchTopic>(
    topic: T,
    { from, until }: { readonly from?: number; readonly until?: number } = {},
  ): Promise<Written<TopicValues[T]>[]> {
    const log = this.#logs[topic];
    const [start, end] = [await this.#offsetAt(log, from), await this.#offsetAt(log, until)];
    const found: ReadRecord[] = [];
    const stop = new AbortController();
    await this.#follow([[log, start ?? log.start]], {
      signal: stop.signal,
      onBatch: ({ partition, records, next }) => {
        found.push(...records.filter((record) => this.#isOwn(record)));
        // Other partitions have what was written since the opening, at offsets of their own.
        if (end !== null && next >= end && partition === log.partition) stop.abort();
      },
      onCaughtUp: () => stop.abort(),
    });
    const decoder = this.#cluster.registry.decoder(topic);
    const decoded: Written<TopicValues[T]>[] = [];
    for (const { value, timestamp: written } of found)
      if (value !== null) decoded.push({ value: await decoder.read(value), written });
    return decoded;
  }

  /**
   * Gives each record that is written from the opening on, until `signal`, and calls `onUpToDate` with the time, of the steady clock, at
   * which every state of the match up to then had been given.
   */
  async follow(
    signal: AbortSignal,
    onRecord: (record: FollowedRecord) => void | Promise<void>,
    onUpToDate: (at: number) => void,
  ): Promise<void> {
    const logs = Object.values(this.#logs);
    const decoders = decodersOf(this.#cluster, MATCH_TOPICS);
    await this.#follow(
      logs.map((log) => [log, log.end]),
      {
        idleMs: RENEW_MS,
        signal,
        onUpToDate: (of, at) => {
          if (partitionKey(of) === partitionKey(this.#logs['match-state'])) onUpToDate(at);
        },
        onBatch: async ({ topic: name, records }) => {
          const topic = MATCH_TOPICS.find((one) => this.#logs[one].topic === name);
          for (const record of records) {
            if (topic === undefined || record.value === null || !this.#isOwn(record)) continue;
            const value = await decoders[topic].read(record.value);
            await onRecord({ topic, value, written: record.timestamp } as FollowedRecord);
          }
        },
      },
    );
  }

  /** Follows topics from these offsets of the match's partitions on; of other partitions what is written from now on. */
  #follow(
    logs: readonly (readonly [OwnLog, number])[],
    options: Omit<FollowOptions, 'brokers' | 'topics'>,
  ): Promise<void> {
    return follow({
      ...options,
      brokers: this.#cluster.brokers,
      reader: CLIENT_ID,
      topics: logs.map(([{ topic }]) => topic),
      from: new Map(logs.map(([log, offset]) => [partitionKey(log), offset])),
      otherwise: 'end',
    });
  }

  async #offsetAt(log: OwnLog, time: number | undefined): Promise<number | null> {
    if (time === undefined) return null;
    const offsets = await offsetsAt({ brokers: this.#cluster.brokers, topic: log.topic, time });
    return offsets.get(partitionKey(log)) ?? null;
  }

  #isOwn({ key }: ReadRecord): boolean {
    const text = key?.toString() ?? '';
    return text === this.#key || text.startsWith(`${this.#key}/`);
  }
}

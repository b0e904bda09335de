import { offsetsAt, topicBounds } from '#cluster/logs.ts';
import type { TopicValues } from '#records/types.ts';
import { type LogBounds, partitionHash, partitionKey, type TopicPartition } from '#streams/client/port.ts';
import { type FollowOptions, follow } from '#topics/follow.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { FRESHNESS_POLL_MS } from '#trading/trading.ts';
import type { OpenCluster } from '../../cluster.ts';
import { CommandError } from '../../command.ts';

/** A decoded record with the time at which it was written, Unix milliseconds. */
export type Written<T> = { readonly value: T; readonly written: number };

/** The topics that hold a match; its records are in the partition of its event id. */
const MATCH_TOPICS = ['match-state', 'match-incidents', 'match-transitions'] as const satisfies TopicName[];
type MatchTopic = (typeof MATCH_TOPICS)[number];

/** A decoded record of a match, with its topic. */
export type FollowedRecord = {
  [T in MatchTopic]: { readonly topic: T } & Written<TopicValues[T]>;
}[MatchTopic];

const CLIENT_ID = 'touchline-match';

/** The partition of a match in a topic (name on the broker), with its bounds when `MatchRecords` was opened. */
type MatchPartitionLog = TopicPartition & LogBounds;

/** Reads the records of a match that existed when this was opened, and follows later ones. Rejects with `StreamError`, `DecodeError`. */
export class MatchRecords {
  readonly #cluster: OpenCluster;
  readonly #key: string;
  readonly #logs: Readonly<Record<MatchTopic, MatchPartitionLog>>;

  private constructor(
    cluster: OpenCluster,
    key: string,
    logs: Readonly<Record<MatchTopic, MatchPartitionLog>>,
  ) {
    this.#cluster = cluster;
    this.#key = key;
    this.#logs = logs;
  }

  /** Looks up the partitions of a match and their bounds. Rejects with `StreamError` when no broker answers. */
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

  /** Returns the records with a value, in order: at least those written from `from` to before `until` (Unix milliseconds). */
  async read<T extends MatchTopic>(
    topic: T,
    { from, until }: { readonly from?: number; readonly until?: number } = {},
  ): Promise<Written<TopicValues[T]>[]> {
    const log = this.#logs[topic];
    const [start, end] = [await this.#offsetAt(log, from), await this.#offsetAt(log, until)];
    const found: Written<TopicValues[T]>[] = [];
    const stop = new AbortController();
    await this.#follow([topic], () => start ?? log.start, {
      untilEnd: true,
      signal: stop.signal,
      onBatch({ records, partitions }) {
        for (const { value, timestamp } of records)
          if (value !== null) found.push({ value, written: timestamp });
        // Other partitions have records since the opening too, but other offsets.
        const next = partitions.find(({ partition }) => partition === log.partition)?.next ?? 0;
        if (end !== null && next >= end) stop.abort();
      },
    });
    return found;
  }

  /**
   * Calls `onRecord` with each record written after the opening, until `signal`. Calls `onUpToDate` with a time (steady clock)
   * when all states written before that time were passed on.
   */
  async follow(
    signal: AbortSignal,
    onRecord: (record: FollowedRecord) => void,
    onUpToDate: (at: number) => void,
  ): Promise<void> {
    await this.#follow(MATCH_TOPICS, ({ end }) => end, {
      idleMs: () => FRESHNESS_POLL_MS,
      signal,
      onUpToDate: (of, at) => {
        if (partitionKey(of) === partitionKey(this.#logs['match-state'])) onUpToDate(at);
      },
      onRecord({ topic, value, timestamp }) {
        if (value !== null) onRecord({ topic, value, written: timestamp } as FollowedRecord);
      },
    });
  }

  /** Follows the match's partitions from these offsets, and other partitions from their ends. */
  #follow<T extends MatchTopic>(
    topics: readonly T[],
    offsetOf: (log: MatchPartitionLog) => number,
    options: Omit<FollowOptions<T>, 'isWanted'>,
  ): Promise<void> {
    const logs = topics.map((topic) => this.#logs[topic]);
    return follow(topics, this.#cluster, {
      ...options,
      reader: CLIENT_ID,
      from: new Map(logs.map((log) => [partitionKey(log), offsetOf(log)])),
      otherwise: 'end',
      isWanted: ({ key }) => this.#isOwn(key?.toString() ?? ''),
    });
  }

  async #offsetAt(log: MatchPartitionLog, time: number | undefined): Promise<number | null> {
    if (time === undefined) return null;
    const offsets = await offsetsAt({ brokers: this.#cluster.brokers, topic: log.topic, time });
    return offsets.get(partitionKey(log)) ?? null;
  }

  #isOwn(key: string): boolean {
    return key === this.#key || key.startsWith(`${this.#key}/`);
  }
}

/** Returns the error of a command that names an unknown match. */
export function unknownEvent({ prefix }: OpenCluster, eventId: number): CommandError {
  return new CommandError(`event ${eventId} is unknown here: no topic under ${prefix} has it`);
}

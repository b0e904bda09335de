/** The records of one match in its topics. */

import { offsetsAt, topicBounds } from '#cluster/logs.ts';
import { type LogBounds, partitionKey, type TopicPartition } from '#streams/client/port.ts';
import { partitionHash } from '#streams/client/produce-batches.ts';
import { follow, type ReadRecord } from '#streams/read/follow.ts';
import type { TopicValues } from '#topics/generated/types.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { RENEW_MS } from '#tradability/doubts.ts';
import type { OpenCluster } from '../../cluster.ts';

/** A record with the time at which it was written, Unix milliseconds. */
export type Written<T> = { readonly value: T; readonly written: number };

/** The topics that hold a match, in the partition of its event id. */
const MATCH_TOPICS = ['match-state', 'match-incidents', 'match-transitions'] as const satisfies TopicName[];
type MatchTopic = (typeof MATCH_TOPICS)[number];

/** A record of a followed match. */
export type FollowedRecord = {
  [T in MatchTopic]: { readonly topic: T } & Written<TopicValues[T]>;
}[MatchTopic];

const CLIENT_ID = 'touchline-match';

/** Reads what the topics held of a match when this was opened, and follows what comes after it. Methods reject with `StreamError`, `DecodeError`. */
export class MatchRecords {
  readonly #place: OpenCluster;
  readonly #key: string;
  readonly #bounds: readonly (TopicPartition & LogBounds)[];

  private constructor(place: OpenCluster, eventId: number, bounds: readonly (TopicPartition & LogBounds)[]) {
    this.#place = place;
    this.#key = String(eventId);
    this.#bounds = bounds;
  }

  /** Rejects with `StreamError` where no broker answers. */
  static async open(place: OpenCluster, eventId: number): Promise<MatchRecords> {
    const names = MATCH_TOPICS.map((topic) => topicName(place.prefix, topic));
    const at = { brokers: place.brokers, clientId: CLIENT_ID };
    return new MatchRecords(place, eventId, await topicBounds(at, names));
  }

  /** The records with a value, in order: at least those written from `from` to before `until`, Unix milliseconds. */
  async read<T extends MatchTopic>(
    topic: T,
    { from, until }: { readonly from?: number; readonly until?: number } = {},
  ): Promise<Written<TopicValues[T]>[]> {
    const [start, end] = [await this.#offsetAt(topic, from), await this.#offsetAt(topic, until)];
    const name = topicName(this.#place.prefix, topic);
    const own = partitionKey(this.#own(name));
    const found: ReadRecord[] = [];
    const stop = new AbortController();
    await follow({
      brokers: this.#place.brokers,
      reader: CLIENT_ID,
      topics: [name],
      from: this.#offsets([topic], ({ start: first }) => start ?? first),
      signal: stop.signal,
      onBatch: ({ partition, records, next }) => {
        for (const record of records) if (this.#isOwn(record)) found.push(record);
        // Other partitions have what was written since the opening, at offsets of their own.
        if (end !== null && next >= end && partitionKey({ topic: name, partition }) === own) stop.abort();
      },
      onCaughtUp: () => stop.abort(),
    });
    const decoder = this.#place.registry.decoder(topic);
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
    const ofState = partitionKey(this.#own(topicName(this.#place.prefix, 'match-state')));
    const names = new Map(MATCH_TOPICS.map((topic) => [topicName(this.#place.prefix, topic), topic]));
    await follow({
      brokers: this.#place.brokers,
      reader: CLIENT_ID,
      topics: [...names.keys()],
      from: this.#offsets(MATCH_TOPICS, ({ end }) => end),
      idleMs: RENEW_MS,
      signal,
      onUpToDate: (of, at) => {
        if (partitionKey(of) === ofState) onUpToDate(at);
      },
      onBatch: async ({ topic: name, records }) => {
        const topic = names.get(name);
        for (const record of records) {
          if (topic === undefined || record.value === null || !this.#isOwn(record)) continue;
          const value = await this.#place.registry.decoder(topic).read(record.value);
          await onRecord({ topic, value, written: record.timestamp } as FollowedRecord);
        }
      },
    });
  }

  /** Where the partition of the match is read from; the others are not read. */
  #offsets(topics: readonly MatchTopic[], startOf: (of: LogBounds) => number): Map<string, number> {
    const names = new Set(topics.map((topic) => topicName(this.#place.prefix, topic)));
    const own = new Set([...names].map((name) => partitionKey(this.#own(name))));
    return new Map(
      this.#bounds
        .filter(({ topic }) => names.has(topic))
        .map((of) => [partitionKey(of), own.has(partitionKey(of)) ? startOf(of) : of.end]),
    );
  }

  /** The partition of the match in a topic, by its name on the broker. */
  #own(name: string): TopicPartition {
    const count = this.#bounds.filter(({ topic }) => topic === name).length;
    return { topic: name, partition: partitionHash(Buffer.from(this.#key)) % count };
  }

  async #offsetAt(topic: MatchTopic, time: number | undefined): Promise<number | null> {
    if (time === undefined) return null;
    const name = topicName(this.#place.prefix, topic);
    const offsets = await offsetsAt({ brokers: this.#place.brokers, topic: name, time });
    return offsets.get(partitionKey(this.#own(name))) ?? null;
  }

  #isOwn({ key }: ReadRecord): boolean {
    const text = key?.toString() ?? '';
    return text === this.#key || text.startsWith(`${this.#key}/`);
  }
}

/** Kafka helpers of the benches, apart from the code under test: admin, a bulk writer and bare consumers. */
import { setTimeout as delay } from 'node:timers/promises';
import kafkajs, { type Admin, Kafka, logLevel, type Message } from 'kafkajs';
import type { Logger } from '#streams/log.ts';

/** A record, as a reader of the benches sees it. */
export type BenchRecord = { readonly partition: number; readonly key: string; readonly value: Buffer | null };

/** A logger that writes nothing. */
export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Returns a kafkajs client that logs nothing. */
export function quietKafka(brokers: readonly string[], clientId = 'bench'): Kafka {
  return new Kafka({
    brokers: [...brokers],
    clientId,
    logLevel: logLevel.NOTHING,
    // A busy broker may take longer than the usual 30 s to delete topics.
    requestTimeout: 120_000,
    // A topic that was just created may have no leaders for seconds on a busy machine.
    retry: { initialRetryTime: 50, maxRetryTime: 1_000, retries: 30 },
  });
}

/** Runs `use` with a new admin connection. */
export async function withAdmin<T>(
  brokers: readonly string[],
  use: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = quietKafka(brokers).admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
}

/** Retries while a new topic has no leader. */
async function whenLed<T>(ask: () => Promise<T>): Promise<T> {
  const until = performance.now() + 10_000;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof kafkajs.KafkaJSProtocolError && error.retriable) || performance.now() > until)
        throw error;
      await delay(50);
    }
  }
}

/** Returns the sum of a topic's end offsets: its records, transaction markers included. */
export async function countOffsets(admin: Admin, topic: string): Promise<number> {
  const ends = await admin.fetchTopicOffsets(topic);
  return ends.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0);
}

/** Returns the progress of a group in a topic: the sum of its committed offsets. */
export async function committedOffsets(admin: Admin, group: string, topic: string): Promise<number> {
  const [found] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
  return (found?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
}

/** Deletes the topics with a prefix, and the named groups; ignores missing ones. */
export async function remove(
  brokers: readonly string[],
  prefix: string,
  groups: readonly string[] = [],
  keep: (topic: string) => boolean = () => false,
): Promise<void> {
  await withAdmin(brokers, async (admin) => {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix) && !keep(topic));
    if (topics.length > 0) await admin.deleteTopics({ topics });
    if (groups.length > 0) await admin.deleteGroups([...groups]).catch(() => {});
    while ((await admin.listTopics()).some((topic) => topics.includes(topic)));
  });
}

const BATCH_BYTES = 768 * 1024;
const BATCH_OVERHEAD = 64;

/** Writes many records in large batches, in order within a partition. */
export class BulkWriter {
  readonly #producer: ReturnType<Kafka['producer']>;
  readonly #topic: string;
  readonly #pending = new Map<number, { messages: Message[]; bytes: number }>();
  #sent: Promise<unknown> = Promise.resolve();

  private constructor(producer: ReturnType<Kafka['producer']>, topic: string) {
    this.#producer = producer;
    this.#topic = topic;
  }

  static async open(brokers: readonly string[], topic: string): Promise<BulkWriter> {
    const producer = quietKafka(brokers).producer({ idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    return new BulkWriter(producer, topic);
  }

  /** Adds a record, with the header `traceparent` if it is given. */
  async add(partition: number, key: string, value: Buffer, traceparent?: string): Promise<void> {
    const pending = this.#pending.get(partition) ?? { messages: [], bytes: 0 };
    this.#pending.set(partition, pending);
    const headers = traceparent === undefined ? {} : { headers: { traceparent } };
    pending.messages.push({ key, value, partition, ...headers });
    pending.bytes += value.length + BATCH_OVERHEAD;
    if (pending.bytes < BATCH_BYTES) return;
    this.#pending.delete(partition);
    await this.#send(pending.messages);
  }

  async close(): Promise<void> {
    for (const { messages } of this.#pending.values()) await this.#send(messages);
    await this.#sent;
    await this.#producer.disconnect();
  }

  /** Sends a batch; the next one is filled meanwhile. */
  async #send(messages: Message[]): Promise<void> {
    await this.#sent;
    this.#sent = this.#producer.send({ topic: this.#topic, acks: -1, messages });
  }
}

/** Reads topics from their beginning to their current ends. Without `onRecord` the records are ignored. */
export async function readToEnd(
  brokers: readonly string[],
  topics: readonly string[],
  onRecord?: (record: BenchRecord) => void,
): Promise<{ records: number; seconds: number }> {
  const kafka = quietKafka(brokers);
  const ends = new Map<string, number>();
  await withAdmin(brokers, async (admin) => {
    for (const topic of topics) {
      for (const { partition, low, high } of await whenLed(() => admin.fetchTopicOffsets(topic))) {
        if (Number(high) > Number(low)) ends.set(`${topic}-${partition}`, Number(high));
      }
    }
  });
  if (ends.size === 0) return { records: 0, seconds: 0 };
  const group = `bench-reader-${process.hrtime.bigint()}`;
  const consumer = kafka.consumer({ groupId: group, readUncommitted: false, maxWaitTimeInMs: 100 });
  let records = 0;
  let started = 0;
  let ended = 0;
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics], fromBeginning: true });
  consumer.on(consumer.events.GROUP_JOIN, () => {
    started = performance.now();
  });
  await new Promise<void>((resolve, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
    const run = consumer.run({
      autoCommit: false,
      partitionsConsumedConcurrently: 64,
      eachBatchAutoResolve: false,
      eachBatch: async ({ batch, resolveOffset }) => {
        records += batch.messages.length;
        if (onRecord !== undefined) {
          for (const { key, value } of batch.messages) {
            onRecord({ partition: batch.partition, key: key?.toString() ?? '', value });
          }
        }
        resolveOffset(batch.lastOffset());
        const at = `${batch.topic}-${batch.partition}`;
        if (Number(batch.lastOffset()) + 1 < (ends.get(at) ?? 0)) return;
        ends.delete(at);
        consumer.pause([{ topic: batch.topic, partitions: [batch.partition] }]);
        if (ends.size > 0) return;
        ended = performance.now();
        resolve();
      },
    });
    run.catch(reject);
  });
  await consumer.disconnect();
  await withAdmin(brokers, (admin) => admin.deleteGroups([group]).catch(() => []));
  return { records, seconds: (ended - started) / 1_000 };
}

/** Reads a topic continuously from its beginning, read committed, until it is closed. */
export class Follower {
  readonly #brokers: readonly string[];
  readonly #group: string;
  readonly #consumer: ReturnType<Kafka['consumer']>;

  private constructor(brokers: readonly string[], group: string, consumer: ReturnType<Kafka['consumer']>) {
    this.#brokers = brokers;
    this.#group = group;
    this.#consumer = consumer;
  }

  static async open(
    brokers: readonly string[],
    topic: string,
    onRecord: (record: BenchRecord) => Promise<void>,
  ): Promise<Follower> {
    const group = `bench-follower-${process.hrtime.bigint()}`;
    const consumer = quietKafka(brokers).consumer({
      groupId: group,
      readUncommitted: false,
      maxWaitTimeInMs: 500,
    });
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
    await consumer.run({
      autoCommit: false,
      partitionsConsumedConcurrently: 64,
      eachBatch: async ({ batch }) => {
        for (const { key, value } of batch.messages) {
          await onRecord({ partition: batch.partition, key: key?.toString() ?? '', value });
        }
      },
    });
    await joined;
    return new Follower(brokers, group, consumer);
  }

  async close(): Promise<void> {
    await this.#consumer.disconnect();
    await withAdmin(this.#brokers, (admin) => admin.deleteGroups([this.#group]).catch(() => []));
  }
}

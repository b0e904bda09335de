/** Kafka helpers of the benches: admin, a bulk writer and readers. */
import { Admin as LogAdmin } from '@platformatic/kafka';
import kafkajs, { type Admin, Kafka, logLevel, type Message } from 'kafkajs';
import type { Logger } from '#streams/log.ts';
import { follow } from '#streams/read/follow.ts';
import { retry } from '#timing/retry.ts';
import { TOPICS, type TopicName, topicName } from '#topics/topics.ts';

/** Attempts while a new topic may have no leaders. */
const NEW_TOPIC = { firstMs: 50, ceilingMs: 50, deadlineMs: 10_000 };

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

/** Returns the sum of a topic's end offsets: its records, transaction markers included. */
export async function countOffsets(admin: Admin, topic: string): Promise<number> {
  const passes = (error: unknown) => error instanceof kafkajs.KafkaJSProtocolError && error.retriable;
  const ends = await retry(() => admin.fetchTopicOffsets(topic), { ...NEW_TOPIC, passes });
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

/** Reads a topic from its beginning to its current end, read committed. Returns the number of records. */
export async function countRecords(brokers: readonly string[], topic: string): Promise<number> {
  let count = 0;
  await follow({
    brokers,
    reader: 'bench-reader',
    topics: [topic],
    untilEnd: true,
    onBatch({ records }) {
      count += records.length;
    },
  });
  return count;
}

/** Returns the stored bytes of topics, on leaders and followers. */
export async function storedBytes(
  brokers: readonly string[],
  prefix: string,
  topics: readonly TopicName[],
): Promise<Map<TopicName, number>> {
  const admin = new LogAdmin({ clientId: 'bench', bootstrapBrokers: [...brokers] });
  const described = await admin.describeLogDirs({
    topics: topics.map((topic) => ({
      name: topicName(prefix, topic),
      partitions: Array.from({ length: TOPICS[topic].partitions }, (_, partition) => partition),
    })),
  });
  await admin.close();
  const logs = described.flatMap(({ results }) => results).flatMap((dir) => dir.topics);
  const bytesOf = (topic: TopicName) =>
    logs
      .filter(({ name }) => name === topicName(prefix, topic))
      .flatMap(({ partitions }) => partitions)
      .reduce((sum, { partitionSize }) => sum + Number(partitionSize), 0);
  return new Map(topics.map((topic) => [topic, bytesOf(topic)]));
}

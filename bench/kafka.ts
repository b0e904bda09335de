/** Kafka helpers of the benches: a bulk writer, counts and clean-up. */
import { type PublishRecord, partitionsUpTo, type StreamClient } from '#streams/client/port.ts';
import { silentLogger } from '#streams/log.ts';
import { openPublisher, type Publisher } from '#streams/publish/publisher.ts';
import { followLogs } from '#streams/read/follow.ts';
import { retry } from '#timing/retry.ts';
import { deleteTopics, topicsUnder } from '#topics/admin.ts';
import { TopicAdminError } from '#topics/errors.ts';
import { withAdmin } from '../test/support/admin.ts';

/** Retries of deleting topics: a busy broker may need longer than one request waits. */
const DELETING = { firstMs: 100, ceilingMs: 1_000, deadlineMs: 120_000 };

/** Returns the sum of the lengths of a topic's logs: its records, transaction markers included. */
export async function countOffsets(client: StreamClient, topic: string): Promise<number> {
  const bounds = await client.logBounds(partitionsUpTo(topic, await client.partitionCount(topic)));
  return bounds.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Deletes the topics with a prefix, and waits until they are gone; then deletes the named groups. Ignores missing ones. */
export async function remove(
  brokers: readonly string[],
  prefix: string,
  groups: readonly string[] = [],
  keep: (topic: string) => boolean = () => false,
): Promise<void> {
  const removeTopics = async (): Promise<void> => {
    const topics = await topicsUnder({ brokers, prefix });
    await deleteTopics(
      brokers,
      topics.filter((topic) => !keep(topic)),
    );
  };
  await retry(removeTopics, { ...DELETING, passes: (error) => error instanceof TopicAdminError });
  if (groups.length === 0) return;
  await withAdmin(brokers, (admin) => admin.deleteGroups({ groups: [...groups] })).catch(() => {});
}

const BATCH_BYTES = 768 * 1024;
const BATCH_OVERHEAD = 64;

/** Writes many records in large batches, in order within a partition. */
export class BulkWriter {
  readonly #publisher: Publisher;
  readonly #topic: string;
  readonly #pending = new Map<number, { records: PublishRecord[]; bytes: number }>();
  #published: Promise<void> = Promise.resolve();

  private constructor(publisher: Publisher, topic: string) {
    this.#publisher = publisher;
    this.#topic = topic;
  }

  static async open(brokers: readonly string[], topic: string): Promise<BulkWriter> {
    const publisher = await openPublisher({ brokers, clientId: 'bench', log: silentLogger });
    return new BulkWriter(publisher, topic);
  }

  async add(partition: number, key: string, value: Buffer): Promise<void> {
    const pending = this.#pending.get(partition) ?? { records: [], bytes: 0 };
    this.#pending.set(partition, pending);
    pending.records.push({ topic: this.#topic, partition, key, value });
    pending.bytes += value.length + BATCH_OVERHEAD;
    if (pending.bytes < BATCH_BYTES) return;
    this.#pending.delete(partition);
    await this.#publish(pending.records);
  }

  async close(): Promise<void> {
    for (const { records } of this.#pending.values()) await this.#publish(records);
    await this.#published;
    await this.#publisher.close();
  }

  /** Publishes a batch; the next one is filled meanwhile. */
  async #publish(records: readonly PublishRecord[]): Promise<void> {
    await this.#published;
    this.#published = this.#publisher.publish(records);
  }
}

/** Reads a topic from its beginning to its current end, read committed. Returns the number of records. */
export async function countRecords(brokers: readonly string[], topic: string): Promise<number> {
  let count = 0;
  await followLogs({
    brokers,
    topics: [topic],
    untilEnd: true,
    onBatch(batch) {
      for (const { records } of batch) count += records.length;
    },
  });
  return count;
}

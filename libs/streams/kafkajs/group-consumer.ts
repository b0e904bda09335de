import { setTimeout as delay } from 'node:timers/promises';
import type { Batch, Consumer, Kafka } from 'kafkajs';
import type { Logger } from '../log.ts';
import type { ConsumedRecord, GroupConsumer, GroupOptions, TopicPartition } from '../port.ts';
import { coPartitionedAssigner } from './assigner.ts';

/** A partition that is resumed is asked for after this long at most, where nothing else arrives. */
const MAX_WAIT_MS = 100;
/** More of a backlog at once makes fewer transactions, and one match-state for more messages. */
const MAX_BYTES_PER_PARTITION = 4 * 1024 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;
const HEARTBEAT_MS = 500;
const RECONNECT_MS = 1_000;

/** A member of the group on kafkajs; made anew where kafkajs gives up for good. */
export class KafkaJsGroupConsumer implements GroupConsumer {
  readonly #kafka: Kafka;
  readonly #options: GroupOptions;
  readonly #log: Logger;
  #consumer: Consumer | null = null;
  #owned: readonly number[] = [];
  #stopping = false;

  constructor(kafka: Kafka, options: GroupOptions, log: Logger) {
    this.#kafka = kafka;
    this.#options = options;
    this.#log = log;
  }

  async start(): Promise<void> {
    const { group, input, changelogs, listener, sessionTimeoutMs } = this.#options;
    const topics = [input, ...changelogs];
    const consumer = this.#kafka.consumer({
      groupId: group,
      readUncommitted: false,
      partitionAssigners: [coPartitionedAssigner(input, () => this.#owned)],
      sessionTimeout: sessionTimeoutMs,
      heartbeatInterval: HEARTBEAT_MS,
      maxWaitTimeInMs: MAX_WAIT_MS,
      maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
      maxBytes: MAX_BYTES,
      allowAutoTopicCreation: false,
      retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 10, restartOnFailure: async () => false },
    });
    this.#consumer = consumer;
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      // Synchronous: kafkajs fetches only after its listeners ran, so nothing is given before it is asked for.
      const partitions = payload.memberAssignment[input] ?? [];
      consumer.pause(topics.map((topic) => ({ topic, partitions: [...partitions] })));
      this.#owned = partitions;
      listener.onAssigned(partitions);
    });
    consumer.on(consumer.events.HEARTBEAT, () => listener.onHeartbeat());
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      this.#log.warn({ err: payload.error }, 'the group member failed and is made anew');
      this.#owned = [];
      listener.onLost();
      void this.#restart();
    });
    await consumer.connect();
    await consumer.subscribe({ topics, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: 64,
      eachBatch: async ({ batch, resolveOffset, isStale, heartbeat }) => {
        if (isStale() || this.#stopping) return;
        const of = { topic: batch.topic, partition: batch.partition };
        const records = batch.messages.map(toRecord);
        try {
          // A heartbeat that fails is found by the next one of the group member itself.
          const stillHere = () => heartbeat().catch(() => {});
          await listener.onRecords(of, records, endOffsetOf(batch), stillHere);
        } catch (error) {
          this.#log.error({ err: error, ...of }, 'a record handler failed');
        }
        resolveOffset(batch.lastOffset());
      },
    });
  }

  pause({ topic, partition }: TopicPartition): void {
    this.#consumer?.pause([{ topic, partitions: [partition] }]);
  }

  resume({ topic, partition }: TopicPartition): void {
    this.#consumer?.resume([{ topic, partitions: [partition] }]);
  }

  seek({ topic, partition }: TopicPartition, offset: number): void {
    this.#consumer?.seek({ topic, partition, offset: String(offset) });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#consumer?.disconnect();
  }

  async #restart(): Promise<void> {
    while (!this.#stopping) {
      await delay(RECONNECT_MS);
      if (this.#stopping) return;
      try {
        await this.start();
        return;
      } catch (error) {
        this.#log.warn({ err: error }, 'the group member cannot start yet');
        await this.#consumer?.disconnect().catch(() => {});
      }
    }
  }
}

/**
 * The end of the partition, counted from the last record: the control records that follow it, the end of its own
 * transaction at least, are nothing that is left to process.
 */
function endOffsetOf(batch: Batch): number {
  const read = Number(batch.lastOffset());
  const last = Number(batch.messages.at(-1)?.offset ?? read);
  return Number(batch.highWatermark) - (read - last);
}

function toRecord(message: { offset: string; key: Buffer | null; value: Buffer | null }): ConsumedRecord {
  return { offset: Number(message.offset), key: message.key, value: message.value };
}

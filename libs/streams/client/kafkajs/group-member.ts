import { setTimeout as delay } from 'node:timers/promises';
import type { Consumer, Kafka } from 'kafkajs';
import { settlesWithin } from '#timing/settles-within.ts';
import type { Logger } from '../../log.ts';
import type { GroupMember, GroupOptions } from '../port.ts';
import { stickyAssigner } from './assigner.ts';

const HEARTBEAT_MS = 500;
/** With every partition paused, kafkajs's consumer only turns its loop, and sends a heartbeat with a turn that is due. */
const TURNS = 2;
const RECONNECT_MS = 1_000;
/** A topic that was missing at a rebalance has no partitions until the metadata is refreshed. */
const METADATA_MS = 10_000;
/** Longest wait at close: the group removes a silent member by itself. */
const LEAVE_WITHIN_MS = 5_000;

/**
 * A group member on kafkajs, used for membership only: all partitions are paused at once, so that it fetches nothing;
 * other connections read the assigned partitions. Created again where kafkajs gives up for good.
 */
export class KafkaJsGroupMember implements GroupMember {
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
    const { group, topic, listener, sessionTimeoutMs, heartbeatMs = HEARTBEAT_MS } = this.#options;
    const consumer = this.#kafka.consumer({
      groupId: group,
      partitionAssigners: [stickyAssigner(topic, () => this.#owned)],
      sessionTimeout: sessionTimeoutMs,
      heartbeatInterval: heartbeatMs,
      maxWaitTimeInMs: heartbeatMs / TURNS,
      metadataMaxAge: METADATA_MS,
      allowAutoTopicCreation: false,
      retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 10, restartOnFailure: async () => false },
    });
    this.#consumer = consumer;
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      // Synchronous: kafkajs fetches only after its listeners ran.
      const partitions = payload.memberAssignment[topic] ?? [];
      consumer.pause([{ topic, partitions: [...partitions] }]);
      this.#owned = partitions;
      listener.onAssigned(partitions);
    });
    consumer.on(consumer.events.HEARTBEAT, () => listener.onHeartbeat());
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      this.#log.warn({ err: payload.error }, 'the group member failed and joins again');
      listener.onLost();
      void this.#restart();
    });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({ autoCommit: false, eachBatch: async () => {} });
  }

  async commit(positions: ReadonlyMap<number, number>): Promise<void> {
    const { topic } = this.#options;
    await this.#consumer?.commitOffsets(
      [...positions].map(([partition, next]) => ({ topic, partition, offset: String(next) })),
    );
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const left = this.#consumer?.disconnect().catch(() => {}) ?? Promise.resolve();
    await settlesWithin(left, LEAVE_WITHIN_MS);
  }

  async #restart(): Promise<void> {
    while (!this.#stopping) {
      await delay(RECONNECT_MS, undefined, { ref: false });
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

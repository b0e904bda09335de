import { setTimeout as delay } from 'node:timers/promises';
import { openBatchProducer } from '../client/platformatic/batch-producer.ts';
import type { StreamError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { PublishError } from './publish-error.ts';
import { PublishQueue, type Round } from './publish-queue.ts';

/** A record to publish. Without `partition`, murmur2 of the key decides, as with Kafka's own clients; one of them there must be. */
export type PublishRecord = {
  readonly topic: string;
  /** `any`: with all others of the same request that may go anywhere, since fewer batches cost less. */
  readonly partition?: number | 'any';
  readonly key: Buffer | string | null;
  readonly value: Buffer | null;
};

/** How a publisher works. */
export type PublisherOptions = {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly log: Logger;
  /** Longest time a publish goes without one of its records being acknowledged, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /** Longest time until it is connected, in milliseconds. Default 30,000. */
  readonly openTimeoutMs?: number;
  /** Most bytes that wait to be sent; what comes on top is refused. Default 64 MiB. */
  readonly maxQueueBytes?: number;
};

/** Writes records that need no transaction, each at least once. */
export interface Publisher {
  /**
   * Resolves when every record is acknowledged by all in-sync replicas. Rejects with `PublishError`; some of the
   * records may have been written then. Calls made while a request is under way share the next one.
   */
  publish(records: readonly PublishRecord[]): Promise<void>;
  /** Bytes that wait to be sent or acknowledged. */
  readonly queuedBytes: number;
  /** False from a failure to send until something is acknowledged again. */
  readonly healthy: boolean;
  /** Sends what is queued, then disconnects. What is published after that is refused. */
  close(): Promise<void>;
}

/** The Kafka client under a publisher. One send at a time; after a failed one it is closed. */
export interface BatchProducer {
  /**
   * Writes all records in one request for each broker and resolves when they are acknowledged by all in-sync replicas.
   * Rejects with `StreamError`: some of them may have been written then.
   */
  send(records: readonly PublishRecord[]): Promise<void>;
  /** May be called while a send is under way, and again after that; throws nothing. */
  close(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_QUEUE_BYTES = 64 * 1024 * 1024;
const RETRY_PAUSE_MS = 100;

/** Opens a publisher and connects it. Rejects with `PublishError` where no broker answers in time. */
export async function openPublisher(options: PublisherOptions): Promise<Publisher> {
  const publisher = new KafkaPublisher(options);
  await publisher.connect(options.openTimeoutMs ?? DEFAULT_TIMEOUT_MS);
  return publisher;
}

/** A sequence of producers, one at a time: one whose send has failed is never used again. */
class KafkaPublisher implements Publisher {
  readonly #open: () => Promise<BatchProducer>;
  readonly #log: Logger;
  readonly #timeoutMs: number;
  readonly #queue: PublishQueue;
  #producer: Promise<BatchProducer> | null = null;
  #draining: Promise<void> | null = null;
  #closed = false;
  #healthy = true;

  constructor({ brokers, clientId, log, timeoutMs, maxQueueBytes }: PublisherOptions) {
    this.#open = () => openBatchProducer(brokers, clientId);
    this.#log = log;
    this.#timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#queue = new PublishQueue(maxQueueBytes ?? DEFAULT_QUEUE_BYTES);
  }

  get queuedBytes(): number {
    return this.#queue.bytes;
  }

  get healthy(): boolean {
    return this.#healthy;
  }

  async connect(withinMs: number): Promise<void> {
    await this.#withinTime(performance.now() + withinMs, async () => {});
    // Failures before this one were no failures to send.
    this.#healthy = true;
  }

  publish(records: readonly PublishRecord[]): Promise<void> {
    if (this.#closed) return Promise.reject(new PublishError('CLOSED', 'the publisher is closed'));
    if (records.length === 0) return Promise.resolve();
    // A client would choose one, and another one when it repeats the batch under the same sequence numbers.
    if (records.some(({ key, partition }) => key === null && partition === undefined)) {
      return Promise.reject(new PublishError('NO_PARTITION', 'a record has neither key nor partition'));
    }
    const published = this.#queue.add(records, performance.now() + this.#timeoutMs);
    this.#draining ??= this.#drain();
    return published;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
    await this.#letGo();
  }

  /** Sends until nothing waits. Throws nothing: what fails is told to those who wait for it. */
  async #drain(): Promise<void> {
    // What is published in the same turn of the event loop goes into one request.
    await new Promise(setImmediate);
    for (let round = this.#take(); round !== null; round = this.#take()) {
      try {
        const records = round.records.map(({ record }) => record);
        await this.#withinTime(round.deadline, (producer) => producer.send(records));
        this.#healthy = true;
        this.#queue.acknowledge(round, performance.now() + this.#timeoutMs);
      } catch (error) {
        this.#healthy = false;
        this.#queue.fail(round, error as PublishError, performance.now());
      }
    }
    this.#draining = null;
  }

  #take(): Round | null {
    return this.#queue.take(performance.now());
  }

  /** Works with a connected producer, with a new one after each failure, until it succeeds or time is up. */
  async #withinTime(deadline: number, work: (producer: BatchProducer) => Promise<void>): Promise<void> {
    let last: StreamError | undefined;
    for (;;) {
      const left = deadline - performance.now();
      if (left <= 0) throw new PublishError('TIMEOUT', 'not acknowledged in time', last);
      const attempt = this.#attempt(work);
      try {
        if (await settlesWithin(attempt, left)) return;
      } catch (error) {
        last = error as StreamError;
      }
      // The attempt that time ran out for goes on in there, and may open its connection once more.
      void this.#letGo(attempt);
      this.#healthy = false;
      if (last?.code === 'RECORD_TOO_LARGE') throw new PublishError('RECORD_TOO_LARGE', last.message, last);
      if (last !== undefined) {
        this.#log.warn({ err: last }, 'publishing failed, it is tried again');
        await delay(Math.max(0, Math.min(RETRY_PAUSE_MS, deadline - performance.now())));
      }
    }
  }

  async #attempt(work: (producer: BatchProducer) => Promise<void>): Promise<void> {
    this.#producer ??= this.#open();
    await work(await this.#producer);
  }

  /** Closes the producer, once more when `attempt` has settled. The next attempt opens another. */
  async #letGo(attempt?: Promise<void>): Promise<void> {
    const producer = await this.#takeProducer();
    await producer?.close();
    if (attempt === undefined) return;
    await attempt.catch(() => {});
    await producer?.close();
  }

  #takeProducer(): Promise<BatchProducer | null> {
    const producer = this.#producer;
    this.#producer = null;
    return producer === null ? Promise.resolve(null) : producer.catch(() => null);
  }
}

/** True where `work` resolves in time, false where time is up first; rejects as it does. */
async function settlesWithin(work: Promise<void>, ms: number): Promise<boolean> {
  const { promise: timeUp, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

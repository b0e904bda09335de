import { setTimeout as delay } from 'node:timers/promises';
import type { Brokers } from '#security/brokers.ts';
import { backoffMs } from '#timing/backoff.ts';
import { settlesWithin } from '#timing/clock.ts';
import { openBatchProducer } from '../client/platformatic/batch-producer.ts';
import type { BatchProducer, PublishRecord, Unsent } from '../client/port.ts';
import { PublishError, type StreamError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { FailureLog } from './failure-log.ts';
import { PublishQueue, type QueuedBatch } from './publish-queue.ts';

/** Options of a publisher. */
export type PublisherOptions = {
  readonly brokers: Brokers;
  readonly clientId: string;
  readonly log: Logger;
  /** Longest time of a publish without an acknowledged record, milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /** Longest time to connect, milliseconds. Default 30,000. */
  readonly openTimeoutMs?: number;
  /** Most bytes in the queue; rejects publishes above it. Default 64 MiB. */
  readonly maxQueueBytes?: number;
};

/** Publishes records outside transactions, at least once. */
export interface Publisher {
  /**
   * Resolves when every record is acknowledged by all in-sync replicas. Rejects with `PublishError`; some of the
   * records may have been written then. Calls made while a request is under way share the next one. Records of a
   * partition without a leader wait for one, and no others with them.
   */
  publish(records: readonly PublishRecord[]): Promise<void>;
  /** Bytes that wait to be sent or acknowledged. */
  readonly queuedBytes: number;
  /** False from a failed send, or a topic without any leader, until the next acknowledgement; where nothing waits to be sent, until the broker answers. */
  readonly healthy: boolean;
  /** Sends the queue, then disconnects. Rejects later publishes. */
  close(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_QUEUE_BYTES = 64 * 1024 * 1024;
/** Between two questions whether the broker is back, and for its answer: a service that is not ready may be sent nothing. */
const ASK_MS = 1_000;
/** Between the tries of records whose partition has no leader. */
const HOLD_MS = 100;
/** Between the tries of a publish. */
const RETRY = { firstMs: 100, ceilingMs: 1_000 };

/** Opens a publisher and connects it. Rejects with `PublishError` where no broker answers in time. */
export async function openPublisher(options: PublisherOptions): Promise<Publisher> {
  const publisher = new KafkaPublisher(options);
  await publisher.connect(options.openTimeoutMs ?? DEFAULT_TIMEOUT_MS);
  return publisher;
}

/** Opens a publisher for `use`, and closes it after it. Rejects as `openPublisher`, or as `use`. */
export async function withPublisher<T>(
  options: PublisherOptions,
  use: (publisher: Publisher) => Promise<T>,
): Promise<T> {
  const publisher = await openPublisher(options);
  try {
    return await use(publisher);
  } finally {
    await publisher.close();
  }
}

type ProducerWork<T> = (producer: BatchProducer, onRetry: (error: StreamError) => void) => Promise<T>;

/** Uses one producer at a time, and never again after a failed send. */
class KafkaPublisher implements Publisher {
  readonly #open: () => Promise<BatchProducer>;
  readonly #failures: FailureLog;
  readonly #timeoutMs: number;
  readonly #queue: PublishQueue;
  #producer: Promise<BatchProducer> | null = null;
  #draining: Promise<void> | null = null;
  /** Ends the pause of a drain that has nothing to send. */
  #wake: () => void = () => {};
  #closed = false;
  #healthy = true;

  constructor({ brokers, clientId, log, timeoutMs, maxQueueBytes }: PublisherOptions) {
    this.#open = () => openBatchProducer(brokers, clientId);
    this.#failures = new FailureLog(log);
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
    // Failures to connect are not failures to send.
    this.#healthy = true;
  }

  publish(records: readonly PublishRecord[]): Promise<void> {
    if (this.#closed) return Promise.reject(new PublishError('CLOSED', 'the publisher is closed'));
    if (records.length === 0) return Promise.resolve();
    // The client would choose one, and another one when it repeats the batch with the same sequence numbers.
    if (records.some(({ key, partition }) => key === null && partition === undefined)) {
      return Promise.reject(new PublishError('NO_PARTITION', 'a record has neither key nor partition'));
    }
    const published = this.#queue.add(records, performance.now() + this.#timeoutMs);
    this.#draining ??= this.#drain();
    this.#wake();
    return published;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    await this.#draining;
    await this.#letGo();
  }

  /** Sends until the queue is empty and the broker answers. Never throws: errors reject the waiting publishes. */
  async #drain(): Promise<void> {
    // Publishes of the same turn of the event loop share a request.
    await new Promise(setImmediate);
    for (;;) {
      const batch = this.#dequeue();
      if (batch === null) {
        if (this.#queue.holding) await this.#pause(HOLD_MS);
        else if (this.#healthy || this.#closed) break;
        else await this.#askBroker();
        continue;
      }
      try {
        const records = batch.records.map(({ record }) => record);
        const send: ProducerWork<Unsent> = (producer, onRetry) => producer.send(records, onRetry);
        this.#sent(batch, await this.#withinTime(batch.deadline, send));
      } catch (error) {
        this.#healthy = false;
        this.#queue.fail(batch, error as PublishError, performance.now());
      }
    }
    this.#draining = null;
  }

  #sent(batch: QueuedBatch, unsent: Unsent): void {
    const now = performance.now();
    for (const reason of unsent.values()) this.#failures.report(reason);
    // What may go to any partition is not sent only where none of its topic has a leader.
    if (unsent.keys().some(({ partition }) => partition === 'any')) this.#healthy = false;
    else if (unsent.size < batch.records.length) this.#healthy = true;
    this.#queue.acknowledge(batch, now + this.#timeoutMs, { unsent, until: now + HOLD_MS });
    if (!this.#queue.holding) this.#failures.end();
  }

  /** Waits this long, or until something is published; true in that case. */
  #pause(ms: number): Promise<boolean> {
    const { promise: woken, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return settlesWithin(woken, ms);
  }

  /** Asks, after a while without anything to send, whether the broker answers again. */
  async #askBroker(): Promise<void> {
    if (await this.#pause(ASK_MS)) return;
    const attempt = this.#attempt(async () => {});
    try {
      if (await settlesWithin(attempt, ASK_MS)) {
        this.#healthy = true;
        this.#failures.end();
        return;
      }
    } catch {
      // Reported by the send that failed.
    }
    void this.#letGo(attempt);
  }

  #dequeue(): QueuedBatch | null {
    return this.#queue.dequeue(performance.now());
  }

  /** Runs `work` with a connected producer, after a failure with a new one, until it succeeds or time is up. */
  async #withinTime<T>(deadline: number, work: ProducerWork<T>): Promise<T> {
    let last: StreamError | undefined;
    const onRetry = (error: StreamError): void => {
      last = error;
      this.#healthy = false;
      this.#failures.report(error);
    };
    for (let failures = 1; ; failures += 1) {
      const left = deadline - performance.now();
      if (left <= 0) throw new PublishError('TIMEOUT', 'not acknowledged in time', last);
      const attempt = this.#attempt((producer) => work(producer, onRetry));
      let failure: StreamError | undefined;
      try {
        if (await settlesWithin(attempt, left)) return await attempt;
      } catch (error) {
        failure = error as StreamError;
      }
      // The timed-out attempt is still running, and may open its connection once more.
      void this.#letGo(attempt);
      this.#healthy = false;
      if (failure === undefined) continue;
      if (failure.code === 'RECORD_TOO_LARGE')
        throw new PublishError('RECORD_TOO_LARGE', failure.message, failure);
      onRetry(failure);
      await delay(Math.max(0, Math.min(backoffMs(RETRY, failures), deadline - performance.now())));
    }
  }

  async #attempt<T>(work: (producer: BatchProducer) => Promise<T>): Promise<T> {
    this.#producer ??= this.#open();
    return work(await this.#producer);
  }

  /** Closes the producer, and again once `attempt` has settled. The next attempt opens another. */
  async #letGo(attempt?: Promise<unknown>): Promise<void> {
    const opening = this.#producer;
    this.#producer = null;
    const producer = await opening?.catch(() => null);
    await producer?.close();
    if (attempt === undefined) return;
    await attempt.catch(() => {});
    await producer?.close();
  }
}

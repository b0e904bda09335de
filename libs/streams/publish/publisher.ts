import { setTimeout as delay } from 'node:timers/promises';
import type { Brokers } from '#security/brokers.ts';
import { settlesWithin } from '#timing/clock.ts';
import { backoffMs } from '#timing/retry.ts';
import { openBatchProducer } from '../client/platformatic/batch-producer.ts';
import type { BatchProducer, PublishRecord, Unsent } from '../client/port.ts';
import { PublishError, type StreamError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { PublishQueue, type QueuedBatch } from './publish-queue.ts';

/** Options of `openPublisher`. */
export type PublisherOptions = {
  readonly brokers: Brokers;
  readonly clientId: string;
  readonly log: Logger;
  /** Timeout of a publish, restarted by each acknowledged record, milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /** Timeout of connecting, milliseconds. Default 30,000. */
  readonly openTimeoutMs?: number;
  /** Maximum bytes in the queue; publishes above it are rejected. Default 64 MiB. */
  readonly maxQueueBytes?: number;
};

/** A publisher of records outside transactions, at least once. */
export type Publisher = Readonly<Pick<KafkaPublisher, 'publish' | 'queuedBytes' | 'healthy' | 'close'>>;

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_QUEUE_BYTES = 64 * 1024 * 1024;
/** Interval and timeout of checks whether the broker is back: an unready service may receive nothing to publish. */
const PROBE_MS = 1_000;
/** Interval between attempts to send records whose partition has no leader. */
const HOLD_MS = 100;
/** Waits between attempts of a publish. */
const RETRY = { firstMs: 100, ceilingMs: 1_000 };

/** Opens a publisher and connects it. Rejects with `PublishError` when no broker responds within `openTimeoutMs`. */
export async function openPublisher(options: PublisherOptions): Promise<Publisher> {
  const publisher = new KafkaPublisher(options);
  await publisher.connect(options.openTimeoutMs ?? DEFAULT_TIMEOUT_MS);
  return publisher;
}

/** Opens a publisher, calls `use` and closes the publisher. Rejects as `openPublisher` or `use`. */
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

/** A publisher with one producer at a time. It replaces a producer after a failed send. */
class KafkaPublisher {
  readonly #options: PublisherOptions;
  readonly #timeoutMs: number;
  readonly #queue: PublishQueue;
  /** Failures since the last success, by kind. */
  readonly #failures = new Map<string, number>();
  #producer: Promise<BatchProducer> | null = null;
  #draining: Promise<void> | null = null;
  /** Ends the pause of a drain that has nothing to send. */
  #wake: () => void = () => {};
  #closed = false;
  /** False after a failed send, or when a topic has no leader, until the next acknowledgement or, when idle, an answer. */
  healthy = true;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#queue = new PublishQueue(options.maxQueueBytes ?? DEFAULT_QUEUE_BYTES);
  }

  /** Bytes of records without an acknowledgement. */
  get queuedBytes(): number {
    return this.#queue.bytes;
  }

  async connect(withinMs: number): Promise<void> {
    await this.#withinTime(performance.now() + withinMs, async () => {});
    // Failures to connect are not failures to send.
    this.healthy = true;
  }

  /** Resolves when all in-sync replicas have every record. Rejects with `PublishError`; some records may then be written. */
  publish(records: readonly PublishRecord[]): Promise<void> {
    if (this.#closed) return Promise.reject(new PublishError('CLOSED', 'the publisher is closed'));
    if (records.length === 0) return Promise.resolve();
    // The client would choose a partition, and another one when it resends the batch with the same sequence numbers.
    if (records.some(({ key, partition }) => key === null && partition === undefined)) {
      return Promise.reject(new PublishError('NO_PARTITION', 'a record has neither key nor partition'));
    }
    const published = this.#queue.add(records, performance.now() + this.#timeoutMs);
    this.#draining ??= this.#drain();
    this.#wake();
    return published;
  }

  /** Sends the queued records, then disconnects. Later publishes are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    await this.#draining;
    await this.#dropProducer();
  }

  /** Sends until the queue is empty and the broker responds. Never throws: errors reject the waiting publishes. */
  async #drain(): Promise<void> {
    // Waits one turn of the event loop, so that publishes of the same turn share a request.
    await new Promise(setImmediate);
    for (;;) {
      const batch = this.#queue.dequeue(performance.now());
      if (batch === null) {
        if (this.#queue.holding) await this.#pause(HOLD_MS);
        else if (this.healthy || this.#closed) break;
        else await this.#probeBroker();
        continue;
      }
      try {
        const records = batch.records.map(({ record }) => record);
        const send: ProducerWork<Unsent> = (producer, onRetry) => producer.send(records, onRetry);
        this.#sent(batch, await this.#withinTime(batch.deadline, send));
      } catch (error) {
        this.healthy = false;
        this.#queue.fail(batch, error as PublishError, performance.now());
      }
    }
    this.#draining = null;
  }

  #sent(batch: QueuedBatch, unsent: Unsent): void {
    const now = performance.now();
    for (const reason of unsent.values()) this.#failed(reason);
    // A record for any partition is unsent only when no partition of its topic has a leader.
    if (unsent.keys().some(({ partition }) => partition === 'any')) this.healthy = false;
    else if (unsent.size < batch.records.length) this.healthy = true;
    this.#queue.acknowledge(batch, now + this.#timeoutMs, { unsent, until: now + HOLD_MS });
    if (!this.#queue.holding) this.#succeeded();
  }

  /** Waits `ms`, or until the next publish or close. Returns true in the second case. */
  #pause(ms: number): Promise<boolean> {
    const { promise: woken, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return settlesWithin(woken, ms);
  }

  /** Checks, after `PROBE_MS` with an empty queue, whether the broker responds again. */
  async #probeBroker(): Promise<void> {
    if (await this.#pause(PROBE_MS)) return;
    const attempt = this.#attempt(async () => {});
    try {
      if (await settlesWithin(attempt, PROBE_MS)) {
        this.healthy = true;
        this.#succeeded();
        return;
      }
    } catch {
      // The failed send has already reported it.
    }
    void this.#dropProducer(attempt);
  }

  /** Runs `work` with a connected producer, and again with a new one after each failure, until it succeeds or times out. */
  async #withinTime<T>(deadline: number, work: ProducerWork<T>): Promise<T> {
    let last: StreamError | undefined;
    const onRetry = (error: StreamError): void => {
      last = error;
      this.healthy = false;
      this.#failed(error);
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
      // A timed-out attempt is still running, and may open a connection once more.
      void this.#dropProducer(attempt);
      this.healthy = false;
      if (failure === undefined) continue;
      if (failure.code === 'RECORD_TOO_LARGE')
        throw new PublishError('RECORD_TOO_LARGE', failure.message, failure);
      onRetry(failure);
      await delay(Math.max(0, Math.min(backoffMs(RETRY, failures), deadline - performance.now())));
    }
  }

  async #attempt<T>(work: (producer: BatchProducer) => Promise<T>): Promise<T> {
    this.#producer ??= openBatchProducer(this.#options.brokers, this.#options.clientId);
    return work(await this.#producer);
  }

  /** Closes the producer, and again when `attempt` has settled. The next attempt opens a new producer. */
  async #dropProducer(attempt?: Promise<unknown>): Promise<void> {
    const opening = this.#producer;
    this.#producer = null;
    const producer = await opening?.catch(() => null);
    await producer?.close();
    if (attempt === undefined) return;
    await attempt.catch(() => {});
    await producer?.close();
  }

  /** Counts a failure, and logs the first of its kind. */
  #failed(error: StreamError): void {
    const kind = `${error.code} ${error.broker ?? ''}`;
    const count = this.#failures.get(kind) ?? 0;
    this.#failures.set(kind, count + 1);
    const text = 'publishing failed: it is retried, and further failures of this kind are counted';
    if (count === 0) this.#options.log.warn({ err: error }, text);
  }

  #succeeded(): void {
    if (this.#failures.size === 0) return;
    const failures = [...this.#failures.values()].reduce((sum, count) => sum + count);
    this.#options.log.info({ failures }, 'publishing succeeds again');
    this.#failures.clear();
  }
}

import { MAX_BATCH_BYTES, recordBytes } from '../client/platformatic/produce.ts';
import type { PublishRecord, Unsent } from '../client/port.ts';
import { PublishError, type StreamError } from '../errors.ts';

/** How many dequeued records may stay at the front of the list before it is cut. */
const TAKEN_BEFORE_CUT = 10_000;

/** One call of `publish`, until all of its records are acknowledged. */
type Publish = {
  /** On the clock of `performance.now`. */
  deadline: number;
  /** Records not acknowledged yet. */
  open: number;
  /** Sent without the records of others, since the broker rejected one of them. */
  alone: boolean;
  settled: boolean;
  /** Why a record of it was not sent. */
  unsent?: StreamError;
  readonly resolve: () => void;
  readonly reject: (error: PublishError) => void;
};

type QueuedRecord = { readonly publish: Publish; readonly record: PublishRecord; readonly bytes: number };

/** The records of one produce request. */
export type QueuedBatch = {
  readonly records: readonly QueuedRecord[];
  /** When the first of its publishes runs out of time. */
  readonly deadline: number;
  /** Number of publishes with records in it. */
  readonly publishes: number;
};

/** What was not sent of a batch, and when it is tried again. */
type Held = { readonly unsent: Unsent; readonly until: number };

const ALL_SENT: Held = { unsent: new Map(), until: 0 };

/** Records that wait to be sent, in order, with their publishes. */
export class PublishQueue {
  readonly #maxBytes: number;
  #records: QueuedRecord[] = [];
  #next = 0;
  #bytes = 0;
  /** Records that could not be sent and those of the same lanes behind them, in order: out of the way of all others. */
  #held: QueuedRecord[] = [];
  readonly #heldLanes = new Set<string>();
  #heldUntil = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that wait to be sent or acknowledged. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether records are held since they could not be sent. */
  get holding(): boolean {
    return this.#held.length > 0;
  }

  /** Resolves when all are acknowledged. Rejects with QUEUE_FULL unless there is room, or nothing else waits. */
  add(records: readonly PublishRecord[], deadline: number): Promise<void> {
    const sizes = records.map(recordBytes);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (this.#bytes > 0 && this.#bytes + bytes > this.#maxBytes) {
      return Promise.reject(
        new PublishError('QUEUE_FULL', `more than ${this.#maxBytes} bytes would wait to be sent`),
      );
    }
    this.#bytes += bytes;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const publish = { deadline, open: records.length, alone: false, settled: false, resolve, reject };
    for (const [index, record] of records.entries())
      this.#records.push({ publish, record, bytes: sizes[index] ?? 0 });
    return promise;
  }

  /**
   * Dequeues the records of the next request: as many as one record batch of each topic may hold, or a single larger one.
   * Null where nothing waits, or all that waits is held. Rejects publishes that ran out of time by `now`.
   */
  dequeue(now: number): QueuedBatch | null {
    if (this.holding && now >= this.#heldUntil) this.#release();
    const records: QueuedRecord[] = [];
    const publishes = new Set<Publish>();
    const filled = new Map<string, number>();
    let deadline = Number.POSITIVE_INFINITY;
    for (; this.#next < this.#records.length; this.#next++) {
      const queued = this.#records[this.#next] as QueuedRecord;
      const { publish, record, bytes } = queued;
      if (!publish.settled && publish.deadline <= now)
        settle(publish, new PublishError('TIMEOUT', 'not sent in time', publish.unsent));
      if (publish.settled) {
        this.#bytes -= bytes;
        continue;
      }
      if (this.#heldLanes.size > 0 && this.#heldLanes.has(laneOf(record))) {
        this.#held.push(queued);
        continue;
      }
      const [other] = publishes;
      if (other !== undefined && other !== publish && (other.alone || publish.alone)) break;
      const size = filled.get(record.topic) ?? 0;
      if (size > 0 && size + bytes > MAX_BATCH_BYTES) break;
      filled.set(record.topic, size + bytes);
      records.push(queued);
      publishes.add(publish);
      deadline = Math.min(deadline, publish.deadline);
    }
    if (this.#next === this.#records.length || this.#next > TAKEN_BEFORE_CUT) {
      this.#records = this.#records.slice(this.#next);
      this.#next = 0;
    }
    return records.length === 0 ? null : { records, deadline, publishes: publishes.size };
  }

  /**
   * The records of a batch are acknowledged but for those that were `unsent`; the rest of their publishes has until `deadline`
   * now. What was not sent is held, and with it later records that must not overtake it, until the `until` of the first.
   */
  acknowledge(batch: QueuedBatch, deadline: number, { unsent, until }: Held = ALL_SENT): void {
    if (!this.holding) this.#heldUntil = until;
    for (const queued of batch.records) {
      const { publish, record, bytes } = queued;
      const reason = unsent.get(record);
      if (reason !== undefined) {
        publish.unsent = reason;
        this.#held.push(queued);
        this.#heldLanes.add(laneOf(record));
        continue;
      }
      this.#bytes -= bytes;
      publish.open -= 1;
      publish.deadline = deadline;
      if (publish.open === 0) settle(publish);
    }
  }

  /**
   * A batch could not be sent. Rejects its publishes that ran out of time by `now`, or whose records alone caused the
   * error; queues the others again, at the front.
   */
  fail(batch: QueuedBatch, error: PublishError, now: number): void {
    const ofRecords = error.code === 'RECORD_TOO_LARGE';
    for (const { publish } of batch.records) {
      if (publish.deadline <= now || (ofRecords && batch.publishes === 1)) settle(publish, error);
      else if (ofRecords) publish.alone = true;
    }
    this.#requeue(batch.records);
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    this.#heldLanes.clear();
    this.#requeue(held);
  }

  /** Puts records in front of all that wait. */
  #requeue(records: readonly QueuedRecord[]): void {
    this.#records = [...records, ...this.#records.slice(this.#next)];
    this.#next = 0;
  }
}

/** Records of one lane are written in the order in which they were published. */
function laneOf({ topic, partition, key }: PublishRecord): string {
  return typeof partition === 'number' ? `${topic} ${partition}` : `${topic} key ${key}`;
}

function settle(publish: Publish, error?: PublishError): void {
  if (publish.settled) return;
  publish.settled = true;
  if (error === undefined) publish.resolve();
  else publish.reject(error);
}

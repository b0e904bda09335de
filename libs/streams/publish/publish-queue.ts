import { MAX_BATCH_BYTES, recordBytes } from '../client/platformatic/produce-request.ts';
import type { PublishRecord, Unsent } from '../client/port.ts';
import { PublishError, type StreamError } from '../errors.ts';

type PendingPublish = {
  /** On the clock of `performance.now`. */
  deadline: number;
  /** Number of records without an acknowledgement. */
  open: number;
  /** Whether it is sent without records of other publishes, as the broker rejected a record of its batch. */
  alone: boolean;
  settled: boolean;
  unsent?: StreamError;
  readonly resolve: () => void;
  readonly reject: (error: PublishError) => void;
};

type QueuedRecord = {
  readonly publish: PendingPublish;
  readonly record: PublishRecord;
  readonly bytes: number;
};

/** The records of one produce request. */
export type QueuedBatch = {
  readonly records: readonly QueuedRecord[];
  /** Earliest deadline of its publishes. */
  readonly deadline: number;
  readonly publishes: number;
};

const ALL_SENT: Unsent = new Map();

/** The records that wait to be sent, in order, with their publishes. */
export class PublishQueue {
  readonly #maxBytes: number;
  #records: QueuedRecord[] = [];
  /** Bytes of records without an acknowledgement. */
  bytes = 0;
  /** Records that could not be sent, and later records of the same lanes, in order. They do not delay other lanes. */
  #held: QueuedRecord[] = [];
  readonly #heldLanes = new Set<string>();
  #heldUntil = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether records are held, as they could not be sent. */
  get holding(): boolean {
    return this.#held.length > 0;
  }

  /** Queues records; resolves when all are acknowledged. Rejects with QUEUE_FULL above the limit, but never into an empty queue. */
  add(records: readonly PublishRecord[], deadline: number): Promise<void> {
    const sizes = records.map(recordBytes);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (this.bytes > 0 && this.bytes + bytes > this.#maxBytes) {
      return Promise.reject(
        new PublishError('QUEUE_FULL', `more than ${this.#maxBytes} bytes would wait to be sent`),
      );
    }
    this.bytes += bytes;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const publish = { deadline, open: records.length, alone: false, settled: false, resolve, reject };
    for (const [index, record] of records.entries())
      this.#records.push({ publish, record, bytes: sizes[index] ?? 0 });
    return promise;
  }

  /** Dequeues the next request: per topic a record batch, or a larger record; null when none may go. Rejects publishes that are due. */
  dequeue(now: number): QueuedBatch | null {
    if (this.holding && now >= this.#heldUntil) {
      this.#records = [...this.#held, ...this.#records];
      this.#held = [];
      this.#heldLanes.clear();
    }
    const records: QueuedRecord[] = [];
    const publishes = new Set<PendingPublish>();
    const filled = new Map<string, number>();
    let deadline = Number.POSITIVE_INFINITY;
    let next = 0;
    for (; next < this.#records.length; next++) {
      const queued = this.#records[next] as QueuedRecord;
      const { publish, record, bytes } = queued;
      if (!publish.settled && publish.deadline <= now)
        settle(publish, new PublishError('TIMEOUT', 'not sent in time', publish.unsent));
      if (publish.settled) {
        this.bytes -= bytes;
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
    this.#records.splice(0, next);
    return records.length === 0 ? null : { records, deadline, publishes: publishes.size };
  }

  /** Acknowledges a batch but `unsent` records, and moves its publishes to `deadline`. Holds those and what must not overtake them `until`. */
  acknowledge(
    batch: QueuedBatch,
    deadline: number,
    { unsent, until } = { unsent: ALL_SENT, until: 0 },
  ): void {
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
      this.bytes -= bytes;
      publish.open -= 1;
      publish.deadline = deadline;
      if (publish.open === 0) settle(publish);
    }
  }

  /** Handles a batch that could not be sent: rejects publishes that are due, and one whose records caused it; queues the others again. */
  fail(batch: QueuedBatch, error: PublishError, now: number): void {
    const ofRecords = error.code === 'RECORD_TOO_LARGE';
    for (const { publish } of batch.records) {
      if (publish.deadline <= now || (ofRecords && batch.publishes === 1)) settle(publish, error);
      else if (ofRecords) publish.alone = true;
    }
    this.#records = [...batch.records, ...this.#records];
  }
}

/** Returns the lane of a record. Records of one lane are written in the order in which they were published. */
function laneOf({ topic, partition, key }: PublishRecord): string {
  return typeof partition === 'number' ? `${topic} ${partition}` : `${topic} key ${key}`;
}

function settle(publish: PendingPublish, error?: PublishError): void {
  if (publish.settled) return;
  publish.settled = true;
  if (error === undefined) publish.resolve();
  else publish.reject(error);
}

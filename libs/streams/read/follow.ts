import { TouchlineError } from '#errors/touchline-error.ts';
import type { Brokers } from '../client/brokers.ts';
import { followPartitions } from '../client/platformatic/follower.ts';
import { listOffsets, topicBounds } from '../client/platformatic/offsets.ts';
import { partitionKey, type TopicPartition } from '../client/port.ts';
import { StreamError } from '../errors.ts';

/** A record that was read. Value null is a tombstone. */
export type ReadRecord = {
  readonly partition: number;
  readonly offset: number;
  /** The producer's time, Unix milliseconds. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** Its header, where this process records traces and the record belongs to one. */
  readonly traceparent?: string;
};

/** Records of one partition, in order, each delivered once. */
export type FollowedBatch = TopicPartition & {
  readonly records: readonly ReadRecord[];
  /** The checkpoint to store with these records: pass it as `from` after a restart. */
  readonly next: number;
  /** The leader epoch in which the last record before `next` was written: pass it as one of `epochs` after a restart. */
  readonly epoch: number | null;
  /** The current end of the partition; records up to it are still to come. */
  readonly end: number;
};

export type FollowOptions = {
  readonly brokers: Brokers;
  /** The client id on the broker. Default `touchline-reader`. */
  readonly reader?: string;
  /** Names on the broker. */
  readonly topics: readonly string[];
  /** The next offset to read by `partitionKey`; other partitions are read from `otherwise` on. */
  readonly from?: ReadonlyMap<string, number>;
  /** The leader epochs of what was read before `from`, by `partitionKey`: a log that lost that is noticed. */
  readonly epochs?: ReadonlyMap<string, number>;
  /** From the first record (default), or from the next one written. */
  readonly otherwise?: 'beginning' | 'end';
  /**
   * How long the broker may hold its answer without records, milliseconds; an abort waits for it. Records are delivered
   * at once. Default 100.
   */
  readonly idleMs?: number;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
  /** Receives one batch at a time. An error it throws ends the reading. */
  readonly onBatch: (batch: FollowedBatch) => void | Promise<void>;
  /** Called once everything present at the start was delivered, open transactions included. */
  readonly onCaughtUp?: () => void;
  /**
   * Called whenever everything committed that a partition had at `at`, on the clock of `performance.now`, is delivered: many
   * times a second while it is read, never while it cannot be. An error it throws ends the reading.
   */
  readonly onUpToDate?: (of: TopicPartition, at: number) => void;
};

/** The log of a partition does not have what was read before a checkpoint: the topic was replaced, or lost records. */
export class PositionLostError extends TouchlineError<'PositionLostError'> {
  override readonly name = 'PositionLostError';

  constructor(message: string, cause?: unknown) {
    super('POSITION_LOST', message, cause);
  }
}

const READER = 'touchline-reader';
const IDLE_MS = 100;

/**
 * Reads all partitions of some topics, read committed, from checkpoints on, until it is aborted: through restarts of the
 * broker it neither skips nor repeats a record. Shares nothing with other readers, and leaves nothing on the broker.
 * Resolves when `signal` is aborted. Rejects with `StreamError` where no broker answers at first, with
 * `PositionLostError` where a log lost what was read, or with an error of a callback.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { brokers, reader = READER, topics, otherwise = 'beginning', idleMs = IDLE_MS, onBatch } = options;
  const { from = new Map(), epochs = new Map(), onCaughtUp } = options;
  const logs = await topicBounds({ brokers, clientId: reader }, topics);
  const partitions = logs.map(({ topic, partition, start, end }) => {
    const key = partitionKey({ topic, partition });
    const checkpoint = from.get(key);
    if (checkpoint !== undefined && checkpoint > end)
      throw new PositionLostError(`${key} ends at ${end}, before the checkpoint ${checkpoint}`);
    return {
      topic,
      partition,
      end,
      lastFetchedEpoch: checkpoint === undefined ? undefined : epochs.get(key),
      offset: Math.max(start, checkpoint ?? (otherwise === 'beginning' ? start : end)),
    };
  });
  // Records of an open transaction count as present: nobody has caught up before it is decided.
  const missing = new Map(
    partitions.flatMap((of) => (of.offset < of.end ? [[partitionKey(of), of.end] as const] : [])),
  );
  if (missing.size === 0) onCaughtUp?.();
  await followPartitions({
    brokers,
    clientId: reader,
    partitions,
    maxWaitMs: idleMs,
    signal: options.signal ?? new AbortController().signal,
    onUpToDate: options.onUpToDate,
    async onFetched(of, { records, next, epoch, highWatermark }) {
      if (records.length > 0) {
        const { topic, partition } = of;
        const read = records.map((record) => ({ ...record, partition }));
        await onBatch({ topic, partition, records: read, next, epoch, end: highWatermark });
      }
      const key = partitionKey(of);
      if (next < (missing.get(key) ?? Number.POSITIVE_INFINITY)) return;
      missing.delete(key);
      if (missing.size === 0) onCaughtUp?.();
    },
  }).catch((error: unknown) => {
    if (error instanceof StreamError && error.code === 'LOG_TRUNCATED')
      throw new PositionLostError(error.message, error);
    throw error;
  });
}

/** The first offset of each partition written at or after a time, Unix milliseconds, by `partitionKey`. */
export async function offsetsAt(
  options: Pick<FollowOptions, 'brokers'> & { readonly topic: string; readonly time: number },
): Promise<Map<string, number>> {
  const { brokers, topic, time } = options;
  const at = { brokers, clientId: READER, topic };
  const [ends, found] = [await listOffsets(at, 'end'), await listOffsets(at, time)];
  return new Map(
    [...ends].map(([partition, end]) => [partitionKey({ topic, partition }), found.get(partition) ?? end]),
  );
}

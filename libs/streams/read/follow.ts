import { followPartitions } from '../client/platformatic/follower.ts';
import { listOffsets, topicBounds } from '../client/platformatic/offsets.ts';
import { partitionKey, type TopicPartition } from '../client/port.ts';

/** A record as a reader sees it. Value null is a tombstone. */
export type ReadRecord = {
  readonly partition: number;
  readonly offset: number;
  /** Unix milliseconds the producer gave it. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
};

/** Records of one partition, in order, each given once. */
export type FollowedBatch = TopicPartition & {
  readonly records: readonly ReadRecord[];
  /** Where to go on once these are kept: give it as `from` after a restart. */
  readonly next: number;
  /** The partition's end as of now; what lies between is still to come. */
  readonly end: number;
};

export type FollowOptions = {
  readonly brokers: readonly string[];
  /** What the broker knows it by. Default `touchline-reader`. */
  readonly reader?: string;
  /** Names on the broker. */
  readonly topics: readonly string[];
  /** The next offset to read by `partitionKey`; a partition that is not in it is read from `otherwise` on. */
  readonly from?: ReadonlyMap<string, number>;
  /** From the first record there is (default), or from the next one that is written. */
  readonly otherwise?: 'beginning' | 'end';
  /**
   * How long the broker may hold its answer while nothing comes, in milliseconds; the end of the reading waits for it.
   * What comes is given at once. Default 100.
   */
  readonly idleMs?: number;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
  /** One batch at a time. What it throws ends the reading. */
  readonly onBatch: (batch: FollowedBatch) => void | Promise<void>;
  /** Called once everything is given that was there at the start, what a transaction held open then included. */
  readonly onCaughtUp?: () => void;
};

/** A kept offset lies beyond the end of its partition: the topic is not the one that was read before, or lost records. */
export class PositionLostError extends Error {
  override readonly name = 'PositionLostError';
  readonly code = 'POSITION_LOST';
}

const READER = 'touchline-reader';
const IDLE_MS = 100;

/**
 * Reads all partitions of some topics as their consumers should, read committed, from kept offsets on, for as long as
 * it is not aborted: through restarts of the broker no record is left out or given twice. Shares nothing with other
 * readers, and leaves nothing on the broker. Resolves when `signal` is aborted. Rejects with `StreamError` where the
 * broker cannot be reached at first, with `PositionLostError`, or with what `onBatch` or `onCaughtUp` threw.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { brokers, reader = READER, topics, otherwise = 'beginning', idleMs = IDLE_MS, onBatch } = options;
  const { from = new Map(), onCaughtUp } = options;
  const logs = await topicBounds({ brokers, clientId: reader }, topics);
  const partitions = logs.map(({ topic, partition, start, end }) => {
    const key = partitionKey({ topic, partition });
    const kept = from.get(key);
    if (kept !== undefined && kept > end)
      throw new PositionLostError(`${key} ends at ${end}, before the kept offset ${kept}`);
    return {
      topic,
      partition,
      end,
      offset: Math.max(start, kept ?? (otherwise === 'beginning' ? start : end)),
    };
  });
  // What an open transaction wrote is there, for all that a reader can tell: nobody has caught up before it is decided.
  const missing = new Map(
    partitions.flatMap((of) => (of.offset < of.end ? [[partitionKey(of), of.end] as const] : [])),
  );
  if (missing.size === 0) onCaughtUp?.();
  await followPartitions({
    ...{ brokers, clientId: reader, partitions, maxWaitMs: idleMs },
    signal: options.signal ?? new AbortController().signal,
    async onFetched(of, { records, next, highWatermark }) {
      if (records.length > 0) {
        const { topic, partition } = of;
        const read = records.map((record) => ({ ...record, partition }));
        await onBatch({ topic, partition, records: read, next, end: highWatermark });
      }
      const key = partitionKey(of);
      if (next < (missing.get(key) ?? Number.POSITIVE_INFINITY)) return;
      missing.delete(key);
      if (missing.size === 0) onCaughtUp?.();
    },
  });
}

/** The first offset of each partition whose record was written at or after a time, Unix milliseconds, by `partitionKey`. */
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

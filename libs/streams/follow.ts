import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, Consumer } from 'kafkajs';
import { toStreamError } from './kafkajs/errors.ts';
import { createKafka } from './kafkajs/kafka.ts';
import type { Logger } from './log.ts';
import { listOffsets } from './platformatic/offsets.ts';
import { partitionKey, type TopicPartition } from './port.ts';

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
  readonly log: Logger;
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
const SESSION_MS = 10_000;
/** A broker that does not answer holds up no end: it forgets who was there by itself. */
const LEAVE_WITHIN_MS = 10_000;

/**
 * Reads all partitions of some topics as their consumers should, read committed, from kept offsets on, for as long as
 * it is not aborted: through restarts of the broker no record is left out or given twice. Shares nothing with other
 * readers, and leaves nothing on the broker. Resolves when `signal` is aborted. Rejects with `StreamError` where the
 * broker cannot be reached at first, with `PositionLostError`, or with what `onBatch` or `onCaughtUp` threw.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { brokers, reader = READER, topics, otherwise = 'beginning', idleMs = IDLE_MS } = options;
  const { signal, log, onBatch, onCaughtUp } = options;
  const doing = `read ${topics.join(', ')}`;
  const kafka = createKafka({ brokers, clientId: reader, log });
  const groupId = `${reader}-${topics[0]}-${randomUUID()}`;
  const consumer = kafka.consumer({
    groupId,
    readUncommitted: false,
    maxWaitTimeInMs: idleMs,
    allowAutoTopicCreation: false,
    // Whoever joins anew waits for the member that it was before to be given up.
    sessionTimeout: SESSION_MS,
    rebalanceTimeout: SESSION_MS,
    heartbeatInterval: SESSION_MS / 10,
  });
  const admin = kafka.admin();
  const { promise: finished, resolve: finish, reject: fail } = Promise.withResolvers<void>();
  // Observed below in every case; a failure before that must not end the process.
  finished.catch(() => {});
  const onAbort = (): void => finish();
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) finish();
  // kafkajs forgets where it was whenever it joins anew, as it does after a broker's restart: without a commit it
  // would begin again, or leave out what came in between.
  const next = new Map(options.from);
  try {
    await admin.connect();
    const missing = await openEnds({ brokers, clientId: reader }, topics, next, otherwise);
    if (missing.size === 0) onCaughtUp?.();
    const reached = (of: TopicPartition, position: number): void => {
      const end = missing.get(partitionKey(of));
      if (end === undefined || position < end) return;
      missing.delete(partitionKey(of));
      if (missing.size === 0) onCaughtUp?.();
    };
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      for (const [topic, partitions] of Object.entries(payload.memberAssignment)) {
        for (const partition of partitions) {
          const offset = next.get(partitionKey({ topic, partition }));
          if (offset !== undefined) consumer.seek({ topic, partition, offset: String(offset) });
        }
      }
    });
    // Told for control records and aborted ones too, which are never given to a handler.
    consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload }) => {
      try {
        reached(payload, Number(payload.lastOffset) + 1);
      } catch (error) {
        fail(error);
      }
    });
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      if (!payload.restart) fail(toStreamError(doing, payload.error));
    });
    if (signal?.aborted) return;
    await consumer.connect();
    await consumer.subscribe({ topics: [...topics], fromBeginning: otherwise === 'beginning' });
    const run = consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch, isRunning }) => {
        if (!isRunning() || signal?.aborted) return;
        const of = { topic: batch.topic, partition: batch.partition };
        const key = partitionKey(of);
        const known = next.get(key) ?? 0;
        const records = batch.messages
          .map((message) => ({
            partition: batch.partition,
            offset: Number(message.offset),
            timestamp: Number(message.timestamp),
            key: message.key,
            value: message.value,
          }))
          .filter(({ offset }) => offset >= known);
        const position = Math.max(known, Number(batch.lastOffset()) + 1);
        try {
          if (records.length > 0)
            await onBatch({ ...of, records, next: position, end: Number(batch.highWatermark) });
          next.set(key, position);
        } catch (error) {
          fail(error);
        }
      },
    });
    // A broker that does not answer keeps it joining: that is nothing to wait for where the reading is to end.
    await Promise.race([run, finished]);
    await finished;
  } catch (error) {
    throw isOwn(error) ? toStreamError(doing, error) : error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    await Promise.race([leave(consumer, admin, groupId), delay(LEAVE_WITHIN_MS, undefined, { ref: false })]);
  }
}

/** Leaves nothing on the broker, where it answers. */
async function leave(consumer: Consumer, admin: Admin, groupId: string): Promise<void> {
  await consumer.disconnect().catch(() => {});
  await admin.deleteGroups([groupId]).catch(() => {});
  await admin.disconnect().catch(() => {});
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

/**
 * The end of each partition that has something to read. What an open transaction wrote is there, for all that a reader
 * can tell: nobody has caught up before it is decided.
 */
async function openEnds(
  at: { readonly brokers: readonly string[]; readonly clientId: string },
  topics: readonly string[],
  from: ReadonlyMap<string, number>,
  otherwise: 'beginning' | 'end',
): Promise<Map<string, number>> {
  const open = new Map<string, number>();
  const found = await Promise.all(
    topics.map(async (topic) => ({
      topic,
      earliest: await listOffsets({ ...at, topic }, 'earliest'),
      ends: await listOffsets({ ...at, topic }, 'end'),
    })),
  );
  for (const { topic, earliest, ends } of found) {
    for (const [partition, end] of ends) {
      const key = partitionKey({ topic, partition });
      const start = from.get(key);
      if (start !== undefined && start > end)
        throw new PositionLostError(`${key} ends at ${end}, before the kept offset ${start}`);
      const isEmpty = earliest.get(partition) === end;
      const left = start === undefined ? otherwise === 'beginning' : start < end;
      if (left && !isEmpty) open.set(key, end);
    }
  }
  return open;
}

function isOwn(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('KafkaJS');
}

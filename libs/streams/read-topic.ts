import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { toStreamError } from './kafkajs/errors.ts';
import { createKafka } from './kafkajs/kafka.ts';
import type { Logger } from './log.ts';

/** A record as a reader sees it. Value null is a tombstone. */
export type ReadRecord = {
  readonly partition: number;
  readonly offset: number;
  /** Unix milliseconds the producer gave it. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
};

export type ReadTopicOptions = {
  readonly brokers: readonly string[];
  /** Name on the broker. */
  readonly topic: string;
  /** From the first record there is, else from the next one that is written. */
  readonly fromBeginning: boolean;
  /** Ends once everything that was there at the start is read, else goes on until `signal`. */
  readonly untilEnd: boolean;
  readonly signal?: AbortSignal;
  readonly log: Logger;
  /** One record at a time, in the order of its partition. What it throws ends the reading. */
  readonly onRecord: (record: ReadRecord) => void | Promise<void>;
};

const MAX_WAIT_MS = 100;
const LEADER_PATIENCE_MS = 5_000;
const NO_LEADER = new Set(['LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION']);

/**
 * Reads a topic as its consumers should: read committed. Resolves at the end, or when `signal` is aborted; rejects
 * with `StreamError` where the broker cannot be reached, or with what `onRecord` threw. Leaves nothing on the broker.
 */
export async function readTopic(options: ReadTopicOptions): Promise<void> {
  const { brokers, topic, fromBeginning, untilEnd, signal, log, onRecord } = options;
  const kafka = createKafka({ brokers, clientId: 'touchline-reader', log });
  const groupId = `touchline-reader-${randomUUID()}`;
  const consumer = kafka.consumer({
    groupId,
    readUncommitted: false,
    maxWaitTimeInMs: MAX_WAIT_MS,
    allowAutoTopicCreation: false,
  });
  const admin = kafka.admin();
  const { promise: finished, resolve: finish, reject: fail } = Promise.withResolvers<void>();
  // Observed below in every case; a failure before that must not end the process.
  finished.catch(() => {});
  const onAbort = (): void => finish();
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) finish();
  try {
    await admin.connect();
    const missing = untilEnd ? await openEnds(admin, topic) : new Map<number, number>();
    if (untilEnd && (missing.size === 0 || !fromBeginning)) return;
    // kafkajs forgets where it was whenever it joins anew, as it does after a broker's restart: without a commit it
    // would begin again, or leave out what came in between.
    const next = new Map<number, number>();
    consumer.on(consumer.events.GROUP_JOIN, () => {
      for (const [partition, offset] of next) consumer.seek({ topic, partition, offset: String(offset) });
    });
    // Told for control records and aborted ones too, which are never given to a handler.
    consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload }) => {
      const end = missing.get(payload.partition);
      if (end === undefined || Number(payload.lastOffset) + 1 < end) return;
      missing.delete(payload.partition);
      if (missing.size === 0) finish();
    });
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      if (!payload.restart) fail(toStreamError(`read ${topic}`, payload.error));
    });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch: { partition, messages }, isRunning }) => {
        try {
          for (const { offset, timestamp, key, value } of messages) {
            if (!isRunning() || signal?.aborted) return;
            if (Number(offset) < (next.get(partition) ?? 0)) continue;
            await onRecord({ partition, offset: Number(offset), timestamp: Number(timestamp), key, value });
            next.set(partition, Number(offset) + 1);
          }
        } catch (error) {
          fail(error);
        }
      },
    });
    await finished;
  } catch (error) {
    throw isOwn(error) ? toStreamError(`read ${topic}`, error) : error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    await consumer.disconnect().catch(() => {});
    await admin.deleteGroups([groupId]).catch(() => {});
    await admin.disconnect().catch(() => {});
  }
}

/** The end offset of each partition that has records. A topic made a moment ago may have no leader yet. */
async function openEnds(admin: Admin, topic: string): Promise<Map<number, number>> {
  const offsets = await retryWhile(hasNoLeader, () => admin.fetchTopicOffsets(topic));
  return new Map(
    offsets
      .filter(({ low, high }) => low !== high)
      .map(({ partition, high }): [number, number] => [partition, Number(high)]),
  );
}

async function retryWhile<T>(passes: (error: unknown) => boolean, ask: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + LEADER_PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!passes(error) || performance.now() > deadline) throw error;
      await delay(MAX_WAIT_MS);
    }
  }
}

function hasNoLeader(error: unknown): boolean {
  return error instanceof Error && NO_LEADER.has((error as { type?: string }).type ?? '');
}

function isOwn(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('KafkaJS');
}

import { setTimeout as delay } from 'node:timers/promises';
import { FetchIsolationLevels, listOffsetsV7 } from '@platformatic/kafka';
import { type LogBounds, partitionKey, type TopicPartition } from '../port.ts';
import { Connections } from './connections.ts';
import { toStreamError } from './errors.ts';
import { byLeader } from './open-transactions.ts';
import { retryTransient } from './retry.ts';

/** Where offsets of a topic are asked for. */
type At = { readonly brokers: readonly string[]; readonly clientId: string; readonly topic: string };

/**
 * The first record of a partition that is still there; its end; or the first record that was written at or after a time,
 * Unix milliseconds.
 */
export type OffsetOf = 'earliest' | 'end' | number;

const EARLIEST = -2n;
const END = -1n;
/** What the broker answers where there is no such offset. */
const NONE = -1n;
const NO_REPLICA = -1;
const ANY_EPOCH = -1;
/** How long no broker may answer. */
const AWAY_MS = 7_000;
const AWAY_PAUSE_MS = 100;

/**
 * Offsets of all partitions of a topic by partition, without those that have none. The end counts what open transactions
 * wrote: a reader of committed records comes to it once they are decided. Rejects with `StreamError`.
 */
export async function listOffsets(at: At, of: OffsetOf): Promise<Map<number, number>> {
  const { brokers, clientId, topic } = at;
  const connections = new Connections(brokers, clientId);
  try {
    const found = await untilAnswered(connections, `list offsets of ${topic}`, async () => {
      const count = await connections.partitionCount(topic);
      const partitions = Array.from({ length: count }, (_, partition) => ({ topic, partition }));
      return offsetsOf(connections, partitions, of);
    });
    return new Map([...found.values()].map(({ partition, offset }) => [partition, offset]));
  } finally {
    await connections.close();
  }
}

/** Bounds of partitions of any topics, in the order asked for. Rejects with `StreamError`. */
export async function logBounds(
  connections: Connections,
  of: readonly TopicPartition[],
): Promise<LogBounds[]> {
  const [starts, ends] = await untilAnswered(connections, 'list offsets', () =>
    Promise.all([offsetsOf(connections, of, 'earliest'), offsetsOf(connections, of, 'end')]),
  );
  return of.map((one) => ({
    start: starts.get(partitionKey(one))?.offset ?? 0,
    end: ends.get(partitionKey(one))?.offset ?? 0,
  }));
}

/** All partitions of some topics with their bounds, over one set of connections. Rejects with `StreamError`. */
export async function topicBounds(
  at: Omit<At, 'topic'>,
  topics: readonly string[],
): Promise<(TopicPartition & LogBounds)[]> {
  const connections = new Connections(at.brokers, at.clientId);
  try {
    const partitions: TopicPartition[] = [];
    for (const topic of topics) {
      const count = await untilAnswered(connections, `look at ${topic}`, () =>
        connections.partitionCount(topic),
      );
      for (let partition = 0; partition < count; partition += 1) partitions.push({ topic, partition });
    }
    const bounds = await logBounds(connections, partitions);
    return partitions.map((of, index) => ({ ...of, ...(bounds[index] as LogBounds) }));
  } finally {
    await connections.close();
  }
}

type Found = TopicPartition & { readonly offset: number };

async function offsetsOf(
  connections: Connections,
  of: readonly TopicPartition[],
  which: OffsetOf,
): Promise<Map<string, Found>> {
  const timestamp = which === 'earliest' ? EARLIEST : which === 'end' ? END : BigInt(which);
  const answers = await Promise.all(
    [...(await byLeader(connections, of))].map(([leader, ofLeader]) =>
      listOffsetsV7.api.async(
        leader,
        NO_REPLICA,
        FetchIsolationLevels.READ_UNCOMMITTED,
        ofLeader.map(({ topic, partition }) => ({
          name: topic,
          partitions: [{ partitionIndex: partition, currentLeaderEpoch: ANY_EPOCH, timestamp }],
        })),
      ),
    ),
  );
  const found = new Map<string, Found>();
  for (const { topics } of answers) {
    for (const { name, partitions } of topics) {
      for (const { partitionIndex, offset } of partitions) {
        const one = { topic: name, partition: partitionIndex, offset: Number(offset) };
        if (offset !== NONE) found.set(partitionKey(one), one);
      }
    }
  }
  return found;
}

/** Asks until there is an answer, through a restart of the broker too. Rejects with `StreamError`. */
export async function untilAnswered<T>(
  connections: Connections,
  doing: string,
  ask: () => Promise<T>,
): Promise<T> {
  const forget = () => connections.forget();
  const deadline = performance.now() + AWAY_MS;
  for (;;) {
    const isLast = performance.now() > deadline;
    try {
      return await retryTransient(ask, { forget });
    } catch (thrown) {
      const error = toStreamError(doing, thrown);
      if (error.code !== 'UNAVAILABLE' || isLast || connections.isClosed) throw error;
      forget();
      await delay(AWAY_PAUSE_MS);
    }
  }
}

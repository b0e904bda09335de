import type { Brokers } from '../brokers.ts';
import { type EpochEnd, type LogBounds, partitionKey, type TopicPartition } from '../port.ts';
import { byLeader, Connections } from './connections.ts';
import { FetchIsolationLevels, listOffsetsV7, offsetForLeaderEpochV4 } from './library.ts';
import { untilAnswered } from './retries.ts';

/** Which offset of a topic is requested. */
type At = { readonly brokers: Brokers; readonly clientId: string; readonly topic: string };

/**
 * The first record still in the partition; its end; or the first record written at or after a time, Unix
 * milliseconds.
 */
export type OffsetOf = 'earliest' | 'end' | number;

const EARLIEST = -2n;
const END = -1n;
/** The broker's answer where there is no such offset. */
const NONE = -1n;
const NO_REPLICA = -1;
const ANY_EPOCH = -1;
/**
 * Offsets of all partitions of a topic by partition, without those that have none. The end includes open transactions:
 * a reader of committed records reaches it once they are decided. Rejects with `StreamError`.
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

/** Log bounds of partitions of any topics, in request order. Rejects with `StreamError`. */
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

/** Where a log ends for a leader epoch, null where the leader knows no such epoch. Rejects with `StreamError`. */
export function epochEnd(
  connections: Connections,
  { topic, partition }: TopicPartition,
  leaderEpoch: number,
): Promise<EpochEnd | null> {
  return untilAnswered(connections, `look at the epochs of ${topic}-${partition}`, async () => {
    const leader = await connections.leader({ topic, partition });
    const currentLeaderEpoch = await connections.leaderEpoch({ topic, partition });
    const asked = { partitionIndex: partition, currentLeaderEpoch, leaderEpoch };
    const { topics } = await offsetForLeaderEpochV4.api.async(leader, NO_REPLICA, [
      { name: topic, partitions: [asked] },
    ]);
    const answer = topics[0]?.partitions[0];
    if (answer === undefined || answer.endOffset === NONE) return null;
    return { epoch: answer.leaderEpoch, endOffset: Number(answer.endOffset) };
  });
}

/** All partitions of some topics with their log bounds, over one set of connections. Rejects with `StreamError`. */
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

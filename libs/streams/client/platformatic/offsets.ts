import { type EpochEnd, type LogBounds, partitionKey, partitionsUpTo, type TopicPartition } from '../port.ts';
import { type BrokerConnections, byLeader, metadataOf, UNKNOWN_TOPIC } from './connections.ts';
import { FetchIsolationLevels, listOffsetsV7, offsetForLeaderEpochV4 } from './library.ts';
import { untilAnswered } from './retries.ts';

/** An offset to look up: of the first existing record, the end, or the first record at or after a time (Unix milliseconds). */
type OffsetOf = 'earliest' | 'end' | number;

const EARLIEST = -2n;
const END = -1n;
/** The broker's response when no such offset exists. */
const NONE = -1n;
const NO_REPLICA = -1;
const ANY_EPOCH = -1;

/** Returns partitions of any topics with their log bounds, in request order. Rejects with `StreamError`. */
export async function logBounds<P extends TopicPartition>(
  connections: BrokerConnections,
  of: readonly P[],
): Promise<(P & LogBounds)[]> {
  const [starts, ends] = await untilAnswered(connections, 'list offsets', () =>
    Promise.all([offsetsOf(connections, of, 'earliest'), offsetsOf(connections, of, 'end')]),
  );
  return of.map((one) => ({
    ...one,
    start: starts.get(partitionKey(one)) ?? 0,
    end: ends.get(partitionKey(one)) ?? 0,
  }));
}

/** Returns the end of a log in a leader epoch; null when the leader knows no such epoch. Rejects with `StreamError`. */
export function epochEnd(
  connections: BrokerConnections,
  { topic, partition }: TopicPartition,
  leaderEpoch: number,
): Promise<EpochEnd | null> {
  return untilAnswered(connections, `look at the epochs of ${topic}-${partition}`, async () => {
    const leader = await connections.leader({ topic, partition });
    const { [partition]: currentLeaderEpoch = ANY_EPOCH } = (await connections.topic(topic)).leaderEpochs;
    const { topics } = await offsetForLeaderEpochV4.api.async(leader, NO_REPLICA, [
      { name: topic, partitions: [{ partitionIndex: partition, currentLeaderEpoch, leaderEpoch }] },
    ]);
    const answer = topics[0]?.partitions[0];
    if (answer === undefined || answer.endOffset === NONE) return null;
    return { epoch: answer.leaderEpoch, endOffset: Number(answer.endOffset) };
  });
}

/** Returns the current ids of topics by name; without missing topics. Rejects with `StreamError`. */
export function topicIds(
  connections: BrokerConnections,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return untilAnswered(connections, 'look at topics', async () => {
    // A later claim must not find the id of a deleted topic either.
    connections.forget();
    const { topics } = await metadataOf(await connections.any(), names, { accepts: [UNKNOWN_TOPIC] });
    return new Map(
      topics.flatMap(({ name, topicId, errorCode }) =>
        errorCode === UNKNOWN_TOPIC ? [] : [[name ?? '', topicId] as const],
      ),
    );
  });
}

/** Returns all partitions of some topics. Rejects with `StreamError`. */
export async function partitionsOf(
  connections: BrokerConnections,
  topics: readonly string[],
): Promise<TopicPartition[]> {
  const found = await Promise.all(
    topics.map((topic) => untilAnswered(connections, `look at ${topic}`, () => connections.topic(topic))),
  );
  return topics.flatMap((topic, at) => partitionsUpTo(topic, found[at]?.leaders.length ?? 0));
}

/** Returns an offset of each partition that has it, by `partitionKey`. Does not retry. */
export async function offsetsOf(
  connections: BrokerConnections,
  of: readonly TopicPartition[],
  which: OffsetOf,
): Promise<Map<string, number>> {
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
  const found = new Map<string, number>();
  for (const { name: topic, partitions } of answers.flatMap(({ topics }) => topics)) {
    for (const { partitionIndex: partition, offset } of partitions)
      if (offset !== NONE) found.set(partitionKey({ topic, partition }), Number(offset));
  }
  return found;
}

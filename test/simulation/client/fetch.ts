/** Stands for libs/streams/client/platformatic/fetch.ts: the records of a simulated log, without the bytes between. */
import type { Fetched, PartitionFetch } from '#streams/client/platformatic/fetch.ts';
import { type Cluster, type Partition, requireEpoch } from '../broker/cluster.ts';
import { ProtocolError } from '../broker/protocol-error.ts';
import type { Respond, SimulatedConnection } from './network.ts';

/** Most batches of an answer: small ones make more interleavings. */
const MOST_BATCHES = 6;

export function fetchPartition(connection: SimulatedConnection, of: PartitionFetch): Promise<Fetched> {
  return connection.request('Fetch', fetch as never, [of]) as Promise<Fetched>;
}

function fetch(cluster: Cluster, broker: number, respond: Respond, [of]: readonly [PartitionFetch]): void {
  const { world } = cluster;
  const until = world.now + of.maxWaitMs;
  let found: Partition | null = null;
  const look = (): boolean => {
    try {
      const partition = partitionById(cluster, of);
      found = partition;
      const value = answer(broker, partition, of, world.random.int(1, MOST_BATCHES));
      if (value === null && world.now < until) return false;
      respond({
        value: value ?? { ...stateOf(partition), records: [], next: of.offset, epoch: null, inflated: 0 },
      });
    } catch (error) {
      respond({ error: error as Error });
    }
    return true;
  };
  if (look()) return;
  const { waiting } = found as unknown as Partition;
  const again = (): void => {
    if (!waiting.has(again) || !look()) return;
    waiting.delete(again);
    timer.run = null;
  };
  const timer = world.after(of.maxWaitMs, again);
  waiting.add(again);
}

function partitionById(cluster: Cluster, { topicId, partition }: PartitionFetch): Partition {
  for (const topic of cluster.topics.values()) {
    if (topic.id !== topicId) continue;
    const found = topic.partitions[partition];
    if (found !== undefined) return found;
  }
  throw new ProtocolError('UNKNOWN_TOPIC_ID');
}

/** In the order of a leader's checks; null where there is nothing to read yet. */
function answer(
  broker: number,
  partition: Partition,
  of: PartitionFetch,
  mostBatches: number,
): Fetched | null {
  const { log, leader } = partition;
  const { offset, currentLeaderEpoch = -1, lastFetchedEpoch } = of;
  if (leader !== broker) throw new ProtocolError('NOT_LEADER_OR_FOLLOWER');
  requireEpoch(log, currentLeaderEpoch);
  if (lastFetchedEpoch !== undefined) {
    const found = log.epochEnd(lastFetchedEpoch);
    if (found === null) throw new ProtocolError('OFFSET_OUT_OF_RANGE');
    if (found.epoch < lastFetchedEpoch || found.endOffset < offset)
      return { ...stateOf(partition), diverging: found, records: [], next: offset, epoch: null, inflated: 0 };
  }
  if (offset < log.start || offset > log.end) throw new ProtocolError('OFFSET_OUT_OF_RANGE');
  if (offset >= log.lastStable) return null;
  return { ...stateOf(partition), ...log.read(offset, mostBatches), inflated: 0 };
}

function stateOf({ log }: Partition): Omit<Fetched, 'records' | 'next' | 'epoch' | 'inflated'> {
  return {
    highWatermark: log.end,
    lastStableOffset: log.lastStable,
    diverging: null,
  };
}

export function fetchPartitions(): never {
  throw new Error('the simulation fetches one partition at a time');
}

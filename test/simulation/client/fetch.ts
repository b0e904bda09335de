/** Replaces libs/streams/client/platformatic/fetch.ts: returns the records of a simulated log without encoding them. */
import type { Fetched, PartitionFetch } from '#streams/client/platformatic/fetch.ts';
import type { Cluster, Partition } from '../broker/cluster.ts';
import { ProtocolError } from '../broker/protocol-error.ts';
import type { Respond, SimulatedConnection } from './network.ts';

/** Maximum number of batches of a response: small responses cause more interleavings. */
const MAX_BATCHES = 6;

export function fetchPartition(connection: SimulatedConnection, of: PartitionFetch): Promise<Fetched> {
  return connection.request('Fetch', fetch as never, [of]) as Promise<Fetched>;
}

function fetch(cluster: Cluster, broker: number, respond: Respond, [of]: readonly [PartitionFetch]): void {
  const { world } = cluster;
  const until = world.now + of.maxWaitMs;
  let found: Partition | null = null;
  const tryToRespond = (): boolean => {
    try {
      const partition = partitionById(cluster, of);
      found = partition;
      const value = read(broker, partition, of, world.random.int(1, MAX_BATCHES));
      if (value === null && world.now < until) return false;
      respond({
        value: value ?? { ...stateOf(partition), records: [], next: of.offset, epoch: null, inflated: 0 },
      });
    } catch (error) {
      respond({ error: error as Error });
    }
    return true;
  };
  if (tryToRespond()) return;
  const { waiting } = found as unknown as Partition;
  const retry = (): void => {
    if (!waiting.has(retry) || !tryToRespond()) return;
    waiting.delete(retry);
    timer.run = null;
  };
  const timer = world.after(of.maxWaitMs, retry);
  waiting.add(retry);
}

function partitionById(cluster: Cluster, { topicId, partition }: PartitionFetch): Partition {
  for (const topic of cluster.topics.values()) {
    if (topic.id !== topicId) continue;
    const found = topic.partitions[partition];
    if (found !== undefined) return found;
  }
  throw new ProtocolError('UNKNOWN_TOPIC_ID');
}

/** Reads a partition after a leader's checks, in their order. Returns null when no record is readable yet. */
function read(broker: number, partition: Partition, of: PartitionFetch, maxBatches: number): Fetched | null {
  const { log, leader } = partition;
  const { offset, currentLeaderEpoch = -1, lastFetchedEpoch } = of;
  if (leader !== broker) throw new ProtocolError('NOT_LEADER_OR_FOLLOWER');
  log.requireEpoch(currentLeaderEpoch);
  if (lastFetchedEpoch !== undefined) {
    const found = log.epochEnd(lastFetchedEpoch);
    if (found === null) throw new ProtocolError('OFFSET_OUT_OF_RANGE');
    if (found.epoch < lastFetchedEpoch || found.endOffset < offset)
      return { ...stateOf(partition), diverging: found, records: [], next: offset, epoch: null, inflated: 0 };
  }
  if (offset < log.start || offset > log.end) throw new ProtocolError('OFFSET_OUT_OF_RANGE');
  if (offset >= log.lastStable) return null;
  return { ...stateOf(partition), ...log.read(offset, maxBatches), inflated: 0 };
}

function stateOf({ log }: Partition): Omit<Fetched, 'records' | 'next' | 'epoch' | 'inflated'> {
  return { highWatermark: log.end, lastStableOffset: log.lastStable, diverging: null };
}

export function fetchPartitions(): never {
  throw new Error('the simulation fetches one partition at a time');
}

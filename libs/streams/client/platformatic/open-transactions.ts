import { type Connection, describeProducersV0 } from '@platformatic/kafka';
import type { OpenTransaction, TopicPartition } from '../port.ts';
import type { Connections } from './connections.ts';
import { retryTransient } from './retry.ts';

/** Transactions that are open in these partitions, of whatever producer, as their leaders know (KIP-664). */
export function openTransactions(
  connections: Connections,
  partitions: readonly TopicPartition[],
): Promise<OpenTransaction[]> {
  return retryTransient(() => describe(connections, partitions), { forget: () => connections.forget() });
}

async function describe(
  connections: Connections,
  partitions: readonly TopicPartition[],
): Promise<OpenTransaction[]> {
  const answers = await Promise.all(
    [...(await byLeader(connections, partitions))].map(([leader, ofLeader]) =>
      describeProducersV0.api.async(leader, requestTopics(ofLeader)),
    ),
  );
  const open: OpenTransaction[] = [];
  for (const { topics } of answers) {
    for (const { name, partitions: described } of topics) {
      for (const { partitionIndex, activeProducers } of described) {
        for (const { producerId, producerEpoch, currentTxnStartOffset } of activeProducers) {
          if (currentTxnStartOffset < 0n) continue;
          const producer = { id: String(producerId), epoch: producerEpoch };
          open.push({
            topic: name,
            partition: partitionIndex,
            producer,
            start: Number(currentTxnStartOffset),
          });
        }
      }
    }
  }
  return open;
}

/** Partitions by the connection to their leader. */
export async function byLeader<P extends TopicPartition>(
  connections: Connections,
  partitions: readonly P[],
): Promise<Map<Connection, P[]>> {
  const found = new Map<Connection, P[]>();
  for (const of of partitions) {
    const leader = await connections.leader(of);
    const known = found.get(leader);
    if (known === undefined) found.set(leader, [of]);
    else known.push(of);
  }
  return found;
}

/** Partitions by topic, each once, as requests name them. */
export function requestTopics(
  partitions: readonly TopicPartition[],
): { name: string; partitionIndexes: number[] }[] {
  const topics = new Map<string, number[]>();
  for (const { topic, partition } of partitions) {
    const known = topics.get(topic);
    if (known === undefined) topics.set(topic, [partition]);
    else if (!known.includes(partition)) known.push(partition);
  }
  return [...topics].map(([name, partitionIndexes]) => ({ name, partitionIndexes }));
}

import type { OpenTransaction, TopicPartition } from '../port.ts';
import { byLeader, type Connections, retryTransient } from './connections.ts';
import { describeProducersV0 } from './library.ts';

/** Open transactions in these partitions, of any producer, as reported by the leaders (KIP-664). */
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

/** Partitions by topic, each once, in the shape of requests. */
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

import { byTopic, type ProducerIdentity, type TopicPartition } from '../../port.ts';
import { type BrokerConnections, byLeader } from '../connections.ts';
import { isRetryable } from '../errors.ts';
import { type Connection, describeProducersV0 } from '../library.ts';
import { retryTransient } from '../retries.ts';

/** An open transaction in a partition. */
export type OpenTransaction = TopicPartition & {
  readonly producer: ProducerIdentity;
  /** Offset of its first record. */
  readonly start: number;
};

/** Returns the open transactions of any producer in these partitions, as reported by the leaders (KIP-664). */
export function openTransactions(
  connections: BrokerConnections,
  partitions: readonly TopicPartition[],
): Promise<OpenTransaction[]> {
  const describe = async (): Promise<OpenTransaction[]> => {
    const leaders = await byLeader(connections, partitions);
    return (await Promise.all([...leaders].map(([leader, ofLeader]) => describeAt(leader, ofLeader)))).flat();
  };
  return retryTransient(describe, () => connections.forget());
}

/** Returns the open transactions without retries. `unreachable`: partitions whose leader is missing or does not respond. */
export async function openWhereReachable<P extends TopicPartition>(
  connections: BrokerConnections,
  partitions: readonly P[],
): Promise<{ readonly open: readonly OpenTransaction[]; readonly unreachable: readonly P[] }> {
  const unreachable: P[] = [];
  const addUnreachable = (error: unknown, of: readonly P[]): void => {
    if (!isRetryable(error)) throw error;
    unreachable.push(...of);
    connections.forget();
  };
  const leaders = new Map<Connection, P[]>();
  const found = await Promise.allSettled(partitions.map((of) => connections.leader(of)));
  for (const [at, outcome] of found.entries()) {
    const of = partitions[at] as P;
    if (outcome.status === 'rejected') addUnreachable(outcome.reason, [of]);
    else leaders.set(outcome.value, [...(leaders.get(outcome.value) ?? []), of]);
  }
  const open = await Promise.all(
    [...leaders].map(([leader, ofLeader]) =>
      describeAt(leader, ofLeader).catch((error: unknown) => {
        addUnreachable(error, ofLeader);
        return [];
      }),
    ),
  );
  return { open: open.flat(), unreachable };
}

async function describeAt(
  leader: Connection,
  partitions: readonly TopicPartition[],
): Promise<OpenTransaction[]> {
  const requested = byTopic(partitions).map(([name, partitionIndexes]) => ({ name, partitionIndexes }));
  const { topics } = await describeProducersV0.api.async(leader, requested);
  const open: OpenTransaction[] = [];
  for (const { name: topic, partitions: described } of topics) {
    for (const { partitionIndex: partition, activeProducers } of described) {
      for (const { producerId, producerEpoch, currentTxnStartOffset } of activeProducers) {
        if (currentTxnStartOffset < 0n) continue;
        const producer = { id: String(producerId), epoch: producerEpoch };
        open.push({ topic, partition, producer, start: Number(currentTxnStartOffset) });
      }
    }
  }
  return open;
}

import {
  addPartitionsToTxnV3,
  describeTransactionsV0,
  endTxnV3,
  initProducerIdV4,
} from '@platformatic/kafka';
import { type OpenTransaction, openTransactions as openOf } from '#kafka-20734/open-transactions.ts';
import { BrokerConnections } from '#streams/client/platformatic/connections.ts';
import { BatchSender, batchRecords } from '#streams/client/platformatic/produce.ts';
import { retryTransient } from '#streams/client/platformatic/retries.ts';
import type { BatchRecord, ProducerIdentity, TopicPartition } from '#streams/client/port.ts';

const CLIENT_ID = 'test-undecided';
const TRANSACTION_TIMEOUT_MS = 10_000;

/** A broker started with them takes transactional records for a partition that is not part of the transaction. */
export const UNVERIFIED: Readonly<Record<string, string>> = {
  'transaction.partition.verification.enable': 'false',
};

/** What is left behind, by whom. */
export type UndecidedOptions = {
  readonly brokers: readonly string[];
  readonly transactionalId: string;
  /** Written with the transactional flag; no marker ever comes to their partitions. */
  readonly records: readonly BatchRecord[];
  /**
   * Further records of the same transaction, in other partitions, which are decided: those whose markers were sent.
   * Without them the coordinator knows of no transaction.
   */
  readonly decided?: { readonly records: readonly BatchRecord[]; readonly commit: boolean };
};

/**
 * Leaves a transaction undecided in the partitions of `records`, as KAFKA-20734 does: read-committed readers stop there,
 * while the coordinator has nothing to complete. Fences whoever has the transactional id, and ends its transaction. Needs
 * brokers with the settings `UNVERIFIED`. Gives the producer that left it.
 */
export async function leaveUndecided(options: UndecidedOptions): Promise<ProducerIdentity> {
  const { brokers, transactionalId, records, decided } = options;
  const connections = new BrokerConnections(brokers, CLIENT_ID);
  try {
    const coordinator = await retryTransient(() => connections.coordinator('transaction', transactionalId));
    const { producerId, producerEpoch } = await retryTransient(() =>
      initProducerIdV4.api.async(coordinator, transactionalId, TRANSACTION_TIMEOUT_MS),
    );
    const topics = topicsOf(decided?.records ?? []);
    if (decided !== undefined) {
      const transaction = { transactionalId, producerId, producerEpoch, verifyOnly: false, topics };
      await retryTransient(() => addPartitionsToTxnV3.api.async(coordinator, [transaction]));
    }
    const sender = new BatchSender(connections, { transactionalId, id: producerId, epoch: producerEpoch });
    await sender.send(batchRecords([...records, ...(decided?.records ?? [])]));
    if (decided !== undefined)
      await endTxnV3.api.async(coordinator, transactionalId, producerId, producerEpoch, decided.commit);
    return { id: String(producerId), epoch: producerEpoch };
  } finally {
    await connections.close();
  }
}

/** The transactions that are open in these partitions, in their order (DescribeProducers). */
export async function openTransactions(
  brokers: readonly string[],
  partitions: readonly TopicPartition[],
): Promise<OpenTransaction[]> {
  const connections = new BrokerConnections(brokers, CLIENT_ID);
  try {
    return await openOf(connections, partitions);
  } finally {
    await connections.close();
  }
}

/** What the coordinator says of the transaction of that id (DescribeTransactions): `Empty`, `Ongoing`, `CompleteCommit` … */
export async function coordinatorState(
  brokers: readonly string[],
  transactionalId: string,
): Promise<string | undefined> {
  const connections = new BrokerConnections(brokers, CLIENT_ID);
  try {
    const coordinator = await connections.coordinator('transaction', transactionalId);
    const { transactionStates } = await describeTransactionsV0.api.async(coordinator, [transactionalId]);
    return transactionStates[0]?.transactionState;
  } finally {
    await connections.close();
  }
}

function topicsOf(records: readonly TopicPartition[]): { name: string; partitions: number[] }[] {
  const byTopic = new Map<string, Set<number>>();
  for (const { topic, partition } of records)
    byTopic.set(topic, (byTopic.get(topic) ?? new Set()).add(partition));
  return [...byTopic].map(([name, partitions]) => ({ name, partitions: [...partitions] }));
}

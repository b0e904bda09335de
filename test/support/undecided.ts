import {
  addPartitionsToTxnV3,
  describeTransactionsV0,
  endTxnV3,
  initProducerIdV4,
} from '@platformatic/kafka';
import { withConnections } from '#cluster/access.ts';
import { BatchSender, batchRecords } from '#streams/client/platformatic/batch-producer.ts';
import {
  type OpenTransaction,
  openTransactions as openOf,
} from '#streams/client/platformatic/kafka-20734/undecided-transactions.ts';
import { retryTransient } from '#streams/client/platformatic/retries.ts';
import {
  type BatchRecord,
  byTopic,
  type ProducerIdentity,
  type TopicPartition,
} from '#streams/client/port.ts';

const CLIENT_ID = 'test-undecided';
const TRANSACTION_TIMEOUT_MS = 10_000;

/** Settings with which a broker accepts transactional records for a partition outside of the transaction. */
export const UNVERIFIED: Readonly<Record<string, string>> = {
  'transaction.partition.verification.enable': 'false',
};

/**
 * Leaves a transaction undecided in the partitions of `records`, as KAFKA-20734 does: read-committed readers stop
 * there, while the coordinator has nothing to complete. Fences the current owner of the transactional id, and ends its
 * transaction. Needs brokers with the settings `UNVERIFIED`. Returns the producer that left the transaction.
 */
export function leaveUndecided(options: {
  readonly brokers: readonly string[];
  readonly transactionalId: string;
  /** Records with the transactional flag; their partitions never get a marker. */
  readonly records: readonly BatchRecord[];
  /**
   * Further records of the same transaction in other partitions, which do get their markers. Without them the
   * coordinator knows no transaction.
   */
  readonly decided?: { readonly records: readonly BatchRecord[]; readonly commit: boolean };
}): Promise<ProducerIdentity> {
  const { brokers, transactionalId, records, decided } = options;
  return withConnections(brokers, CLIENT_ID, async (connections) => {
    const coordinator = await retryTransient(() => connections.coordinator('transaction', transactionalId));
    const { producerId, producerEpoch } = await retryTransient(() =>
      initProducerIdV4.api.async(coordinator, transactionalId, TRANSACTION_TIMEOUT_MS),
    );
    if (decided !== undefined) {
      const topics = byTopic(decided.records).map(([name, partitions]) => ({ name, partitions }));
      const transaction = { transactionalId, producerId, producerEpoch, verifyOnly: false, topics };
      await retryTransient(() => addPartitionsToTxnV3.api.async(coordinator, [transaction]));
    }
    const sender = new BatchSender(connections, { transactionalId, id: producerId, epoch: producerEpoch });
    await sender.send(batchRecords([...records, ...(decided?.records ?? [])]));
    if (decided !== undefined)
      await endTxnV3.api.async(coordinator, transactionalId, producerId, producerEpoch, decided.commit);
    return { id: String(producerId), epoch: producerEpoch };
  });
}

/** Returns the open transactions of each of these partitions, in the given order (DescribeProducers). */
export function openTransactions(
  brokers: readonly string[],
  partitions: readonly TopicPartition[],
): Promise<OpenTransaction[]> {
  return withConnections(brokers, CLIENT_ID, (connections) => openOf(connections, partitions));
}

/**
 * Returns the coordinator's state of that transaction (DescribeTransactions): `Empty`, `Ongoing`,
 * `CompleteCommit` …
 */
export function coordinatorState(brokers: readonly string[], id: string): Promise<string | undefined> {
  return withConnections(brokers, CLIENT_ID, async (connections) => {
    const coordinator = await connections.coordinator('transaction', id);
    const { transactionStates } = await describeTransactionsV0.api.async(coordinator, [id]);
    return transactionStates[0]?.transactionState;
  });
}

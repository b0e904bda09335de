/** How a claim ends the previous transaction, on a real broker. */
import { randomUUID } from 'node:crypto';
import { addPartitionsToTxnV3, endTxnV3, findErrorBy, initProducerIdV4 } from '@platformatic/kafka';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BrokerConnections } from '#streams/client/platformatic/connections.ts';
import { endLastTransaction } from '#streams/client/platformatic/kafka-20734/undecided-transactions.ts';
import { onCoordinator } from '#streams/client/platformatic/retries.ts';
import { backbone } from '../../setup/backbone.ts';
import { makeTopics } from '../../support/topics.ts';

const { brokers, prefix } = backbone();

let connections: BrokerConnections;
let transactionalId: string;

beforeEach(() => {
  connections = new BrokerConnections(brokers, 'last-transaction-test');
  transactionalId = `${prefix}${randomUUID()}`;
});

afterEach(() => connections.close());

/** Opens a transaction. Returns a function that ends it as its producer would. */
async function begin(): Promise<(commit: boolean) => Promise<unknown>> {
  const topic = `${transactionalId}-output`;
  await makeTopics(brokers, [{ topic, numPartitions: 1, replicationFactor: 1 }]);
  const { producerId, producerEpoch } = await onCoordinator(connections, transactionalId, (coordinator) =>
    initProducerIdV4.api.async(coordinator, transactionalId, 60_000),
  );
  const topics = [{ name: topic, partitions: [0] }];
  await onCoordinator(connections, transactionalId, (coordinator) =>
    addPartitionsToTxnV3.api.async(coordinator, [
      { transactionalId, producerId, producerEpoch, verifyOnly: false, topics },
    ]),
  );
  return (commit) =>
    onCoordinator(connections, transactionalId, (coordinator) =>
      endTxnV3.api.async(coordinator, transactionalId, producerId, producerEpoch, commit),
    );
}

test('aborts an open transaction, so that its producer cannot commit it', async () => {
  const end = await begin();
  expect((await endLastTransaction(connections, transactionalId))?.state).toMatch(
    /^(Prepare|Complete)Abort$/,
  );
  const error = await end(true).catch((refused: unknown) => refused);
  expect(findErrorBy(error as Error, 'apiId', 'INVALID_TXN_STATE')).not.toBeNull();
});

test('leaves a committed transaction committed', async () => {
  const end = await begin();
  await end(true);
  expect((await endLastTransaction(connections, transactionalId))?.state).toMatch(
    /^(Prepare|Complete)Commit$/,
  );
});

test('returns null for a transactional id that was never used', async () => {
  expect(await endLastTransaction(connections, transactionalId)).toBeNull();
});

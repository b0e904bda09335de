/** The client over a real broker: see test/support/conformance.ts. */
import { onTestFinished } from 'vitest';
import { openStreamClient } from '#streams/client/client.ts';
import { backbone } from '../../setup/backbone.ts';
import { describeStreamClient } from '../../support/conformance.ts';
import { createKafka } from '../../support/kafkajs.ts';
import { quietLog } from '../../support/log.ts';
import { makeTopics, recreateTopic } from '../../support/topics.ts';

const { brokers, prefix } = backbone();
const kafka = createKafka({ brokers, clientId: 'conformance-setup' });

describeStreamClient({
  prefix,
  openClient: () => openStreamClient({ brokers, clientId: 'conformance', log: quietLog }),
  makeTopics: (names, partitions) =>
    makeTopics(
      brokers,
      names.map((name) => ({ name, partitions, replicationFactor: 1 })),
    ),
  recreateTopic: (name, partitions) => recreateTopic(brokers, { name, partitions, replicationFactor: 1 }),
  async leaveOpen(transactionalId, { topic, partition }, value) {
    const producer = kafka.producer({
      transactionalId,
      idempotent: true,
      maxInFlightRequests: 1,
      transactionTimeout: 900_000,
    });
    await producer.connect();
    onTestFinished(() => producer.disconnect());
    const transaction = await producer.transaction();
    await transaction.send({ topic, messages: [{ partition, key: 'key', value }] });
    return transaction;
  },
});

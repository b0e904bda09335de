/** A hanging transaction of another producer in a task's partition, which only an operator can decide. */
import { createAPI, Writer } from '@platformatic/kafka';
import { expect, test } from 'vitest';
import { BrokerConnections } from '#streams/client/platformatic/connections.ts';
import type { ProducerIdentity, TopicPartition } from '#streams/client/port.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { leaveUndecided, UNVERIFIED } from '../../support/undecided.ts';
import { CountingApplication, keepingLog } from './counting.ts';

const WRITE_TXN_MARKERS = { key: 27, version: 1 } as const;
const ANY_COORDINATOR = 0;

/** The request of `kafka-transactions.sh abort` to the leader. */
const writeAbort = createAPI(
  WRITE_TXN_MARKERS.key,
  WRITE_TXN_MARKERS.version,
  ({ id, epoch }: ProducerIdentity, { topic, partition }: TopicPartition) =>
    Writer.create()
      .appendArray([topic], (markers) => {
        markers.appendInt64(BigInt(id)).appendInt16(epoch).appendBoolean(false);
        markers.appendArray([topic], (topics, name) => {
          topics.appendString(name).appendArray([partition], (of, one) => of.appendInt32(one), true, false);
        });
        markers.appendInt32(ANY_COORDINATOR);
      })
      .appendTaggedFields(),
  () => null,
);

test('refuses the partition, and continues after an operator has aborted the transaction', async () => {
  const { brokers } = await restartableKafka(UNVERIFIED);
  const counting = await CountingApplication.create({ brokers, prefix: 'hanging.' });
  const partition = { topic: counting.counts, partition: 1 };
  const left = await leaveUndecided({
    brokers,
    transactionalId: 'an-earlier-one',
    records: [{ ...partition, key: 'a', value: Buffer.from('100') }],
  });
  const { log, lines } = keepingLog();
  const { metric, stream } = await counting.start({}, { log });
  await counting.send(['a', '1'], ['bb', '1']);
  const message = await until('the refusal', () =>
    lines.find((line) => line.includes('HANGING_TRANSACTION')),
  );
  expect(message).toContain(
    `${counting.counts}-1 has a transaction of producer ${left.id} open from offset 0`,
  );
  expect(message).toContain(`abort --topic ${counting.counts} --partition 1 --start-offset 0`);
  const code = 'HANGING_TRANSACTION';
  expect(await metric('touchline_task_failures_total', { code })).toBeGreaterThan(0);
  await untilTrue('the other one', async () => (await metric('touchline_records_total')) === 1);
  expect(stream.ready()).toBe(false);

  const connections = new BrokerConnections(brokers, 'operator');
  await writeAbort.async(await connections.leader(partition), left, partition);
  await connections.close();
  await untilTrue('both', async () => (await metric('touchline_records_total')) === 2);
  expect(await counting.read(counting.counts)).toEqual({ a: '1', bb: '1' });
  await untilTrue('it is ready', () => stream.ready());
  expect(lines.filter((line) => line.includes(code))).toHaveLength(1);
});

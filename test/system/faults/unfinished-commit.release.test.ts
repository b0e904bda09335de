import { expect, test } from 'vitest';
import { openStreamClient } from '#streams/client/client.ts';
import { atEnd } from '../../support/at-end.ts';
import { quietLog } from '../../support/log.ts';
import { startProxiedKafka } from '../../support/own-kafka.ts';
import { untilTrue } from '../../support/poll.ts';
import { makeTopics } from '../../support/topics.ts';
import { openTransactions } from '../../support/undecided.ts';

const TOPICS = ['one', 'other'];
/** Delay of markers, milliseconds. */
const SLOWED_MS = 3_000;
const PARTITIONS = TOPICS.map((topic) => ({ topic, partition: 0 }));

test('records after a commit without its markers are not committed with it', async () => {
  // The broker sends transaction markers to itself through the proxy; clients connect directly.
  const { proxy, directBrokers } = await startProxiedKafka({
    settings: { 'inter.broker.listener.name': 'PROXIED' },
  });
  await makeTopics(
    directBrokers,
    TOPICS.map((topic) => ({ name: topic, partitions: 1 })),
  );
  const client = openStreamClient({ brokers: directBrokers, clientId: 'test-commit', log: quietLog });
  atEnd(() => client.close());
  const openProducer = () => client.openProducer({ transactionalId: 'owner', own: PARTITIONS });
  const written = (value: string) =>
    PARTITIONS.map((of) => ({ ...of, key: 'key', value: Buffer.from(value) }));
  const producer = await openProducer();
  await producer.transact(written('warm'));
  await untilTrue(
    'it is complete',
    async () => (await openTransactions(directBrokers, PARTITIONS)).length === 0,
  );

  // Slow only now, because the broker also verifies open transactions through the proxy.
  proxy.slow(SLOWED_MS);
  await producer.transact(written('committed'));
  proxy.freeze();
  // The coordinator starts no other transaction before the markers are written.
  await expect(producer.transact(written('never begun'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await producer.close();
  proxy.resume();

  const next = await openProducer();
  await next.close();
  for (const topicPartition of PARTITIONS) {
    const [bounds] = await client.logBounds([topicPartition]);
    const reader = client.openReader({ ...topicPartition, maxBytes: 1_000_000 });
    const read: string[] = [];
    for (let at = 0; at < (bounds?.end ?? 0); ) {
      const batch = await reader.read(at);
      read.push(...batch.records.map(({ value }) => String(value)));
      at = batch.next;
    }
    await reader.close();
    expect(read, topicPartition.topic).toEqual(['warm', 'committed']);
  }
});

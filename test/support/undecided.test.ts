import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findErrorBy } from '@platformatic/kafka';
import { describe, expect, test } from 'vitest';
import { startKafka } from '#embedded/kafka.ts';
import { KAFKA_VERSION, QUICK_START } from '#embedded/settings.ts';
import { backbone } from '../setup/backbone.ts';
import { atEnd } from './at-end.ts';
import { times } from './harness.ts';
import { untilTrue } from './poll.ts';
import { makeTopics } from './topics.ts';
import { coordinatorState, leaveUndecided, openTransactions, UNVERIFIED } from './undecided.ts';

const OWNER = 'owner-0';
const place = backbone();
const topics = ['one', 'other', 'third'].map((name) => `${place.prefix}${name}`) as [string, string, string];
const [ONE, OTHER, THIRD] = topics;

const record = (topic: string, partition: number) => ({
  topic,
  partition,
  key: `${topic}-${partition}`,
  value: Buffer.from('x'),
});
const makeThem = (brokers: readonly string[]) =>
  makeTopics(
    brokers,
    topics.map((topic) => ({ topic, numPartitions: 2 })),
  );

describe.each(times([KAFKA_VERSION, '4.3.1'], []))('on Kafka %s', (version) => {
  test('a transaction is left undecided that nothing but a marker ends', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'touchline-undecided-'));
    atEnd(() => rm(dataDir, { recursive: true, force: true }));
    const kafka = await startKafka({ dataDir, version, settings: UNVERIFIED, jvmArgs: QUICK_START });
    atEnd(() => kafka.stop());
    const { brokers } = kafka;
    await makeThem(brokers);
    const open = () =>
      openTransactions(
        brokers,
        topics.flatMap((topic) => [0, 1].map((partition) => ({ topic, partition }))),
      );
    expect(await open()).toEqual([]);

    // The coordinator knows of no transaction.
    const first = await leaveUndecided({
      brokers,
      transactionalId: OWNER,
      records: [record(ONE, 0), record(ONE, 0), record(OTHER, 1)],
    });
    const hanging = [
      { topic: ONE, partition: 0, producer: first, start: 0 },
      { topic: OTHER, partition: 1, producer: first, start: 0 },
    ];
    expect(await coordinatorState(brokers, OWNER)).toBe('Empty');
    expect(await open()).toEqual(hanging);

    // The next owner has the same producer id, and its transaction is committed but for one of its partitions.
    const second = await leaveUndecided({
      brokers,
      transactionalId: OWNER,
      records: [record(THIRD, 1)],
      decided: { records: [record(THIRD, 0)], commit: true },
    });
    expect(second).toEqual({ id: first.id, epoch: first.epoch + 1 });
    await untilTrue(
      'the coordinator is done',
      async () => (await coordinatorState(brokers, OWNER)) === 'CompleteCommit',
    );
    const all = [...hanging, { topic: THIRD, partition: 1, producer: second, start: 0 }];
    expect(await open()).toEqual(all);

    // It is in the log, not only in memory.
    await kafka.kill('SIGKILL');
    await kafka.start();
    // Until they have leaders again, asking fails.
    await untilTrue('all of it is there again', () =>
      open().then(
        (now) => now.length === all.length,
        () => false,
      ),
    );
    expect(await open()).toEqual(all);

    // A marker of another transaction of the same producer decides it, and in its partition only.
    await leaveUndecided({
      brokers,
      transactionalId: OWNER,
      records: [],
      decided: { records: [record(ONE, 0)], commit: false },
    });
    await untilTrue('the marker is written', async () => (await open()).length === all.length - 1);
    expect(await open()).toEqual(all.slice(1));
  });
});

test('a broker that verifies partitions takes no such records', async () => {
  await makeThem(place.brokers);
  await expect(
    leaveUndecided({
      brokers: place.brokers,
      transactionalId: `${place.prefix}${OWNER}`,
      records: [record(ONE, 0)],
    }),
  ).rejects.toSatisfy((error: Error) => findErrorBy(error, 'apiId', 'INVALID_TXN_STATE') !== null);
  expect(await openTransactions(place.brokers, [{ topic: ONE, partition: 0 }])).toEqual([]);
});

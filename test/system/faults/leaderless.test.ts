/** A shared partition whose only replica is down: it stops nobody who does not write to it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { describeCluster } from '#cluster/describe.ts';
import { readTopic } from '#cluster/read-topic.ts';
import { type Kafka, type KafkaCluster, startKafkaCluster } from '#embedded/kafka.ts';
import { QUICK_REJOIN, QUICK_START } from '#embedded/settings.ts';
import { partitionHash } from '#streams/client/produce-batches.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { POISON } from '../../integration/streams/count-by-key.ts';
import { CountingApplication } from '../../integration/streams/counting.ts';
import { atEnd } from '../../support/at-end.ts';
import { createKafka } from '../../support/kafkajs.ts';
import { quietLog } from '../../support/log.ts';
import { untilTrue } from '../../support/poll.ts';
import { makeTopics } from '../../support/topics.ts';
import { leaveUndecided, UNVERIFIED } from '../../support/undecided.ts';

let cluster: KafkaCluster;

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'touchline-leaderless-'));
  atEnd(() => rm(dataDir, { recursive: true, force: true }));
  cluster = await startKafkaCluster({
    dataDir,
    brokers: 3,
    settings: { ...QUICK_REJOIN, ...UNVERIFIED },
    jvmArgs: QUICK_START,
    heapMb: 512,
  });
  atEnd(() => cluster.stop());
});

/** An application whose dead letters have one replica, and the broker that has it. */
async function withLoneLetters(): Promise<{ counting: CountingApplication; lone: Kafka }> {
  const counting = await CountingApplication.create(
    { brokers: cluster.brokers, prefix: 'leaderless.' },
    { letterReplicas: 1 },
  );
  const leader = await leaderOf(counting.letters);
  const lone = cluster.nodes[leader - 1];
  if (lone === undefined) throw new Error(`no broker ${leader}`);
  return { counting, lone };
}

/** The node that leads a partition. */
async function leaderOf(topic: string, partition = 0): Promise<number> {
  const admin = createKafka({ brokers: cluster.brokers, clientId: 'leaderless' }).admin();
  await admin.connect();
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]?.partitions.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
  } finally {
    await admin.disconnect();
  }
}

/** Kills the broker with the only replica of one partition of a topic. */
async function stop(lone: Kafka | undefined, topic: string): Promise<void> {
  await lone?.kill('SIGKILL');
  await untilTrue('its partition has no leader', async () => {
    const { topics } = await describeCluster(cluster.brokers, [topic]);
    return topics.get(topic)?.leaderless === 1;
  });
}

test('partitions are claimed and processed without it, and what goes there waits for it', async () => {
  const { counting, lone } = await withLoneLetters();
  await stop(lone, counting.letters);
  const { stream, metric } = await counting.start();
  await counting.send(['a', '1'], ['bb', '1']);
  await untilTrue('both count', async () => (await metric('touchline_records_total')) === 2);
  expect(stream.ready()).toBe(true);
  expect(await metric('touchline_task_failures_total')).toBe(0);

  await counting.send(['a', POISON], ['bb', '2']);
  await untilTrue('a dead letter waits', async () => (await metric('touchline_task_failures_total')) > 0);
  await untilTrue('the other goes on', async () => (await metric('touchline_records_total')) === 3);
  await lone.start();
  await untilTrue('all is processed', async () => (await metric('touchline_records_total')) === 4);
  expect(await counting.read(counting.letters)).toEqual({ '1/1': 'undecodable poison' });
  expect(await counting.read(counting.counts)).toEqual({ a: '1', bb: '2' });
});

test('a running task that loses its connections goes on without it', async () => {
  const { counting, lone } = await withLoneLetters();
  const { metric } = await counting.start();
  await counting.send(['a', '1'], ['bb', '1']);
  await untilTrue('both count', async () => (await metric('touchline_records_total')) === 2);
  await stop(lone, counting.letters);
  for (const value of ['2', '3', '4']) await counting.send(['a', value], ['bb', value]);
  await untilTrue('all count', async () => (await metric('touchline_records_total')) === 8);
  await lone.start();
});

test('a transaction left undecided there is committed before the first record that follows it', async () => {
  const { counting, lone } = await withLoneLetters();
  const transactionalId = `${counting.application}-${counting.input}-1`;
  const letter = { topic: counting.letters, partition: 0 };
  const [key, value] = ['earlier', Buffer.from('letter')];
  await leaveUndecided({
    brokers: counting.brokers,
    transactionalId,
    records: [{ ...letter, key, value }],
    decided: { records: [{ topic: counting.counts, partition: 1, key: 'a', value: null }], commit: true },
  });
  await stop(lone, counting.letters);
  const { metric } = await counting.start();
  await counting.send(['a', '1']);
  await untilTrue('it counts', async () => (await metric('touchline_records_total')) === 1);
  await lone.start();
  await counting.send(['a', POISON]);
  await untilTrue('all is processed', async () => (await metric('touchline_records_total')) === 2);
  expect(await counting.read(counting.letters)).toEqual({
    earlier: 'letter',
    '1/1': 'undecodable poison',
  });
});

test('what is published to other partitions does not wait for it', async () => {
  const topic = 'leaderless.published';
  // Its two partitions are on two brokers.
  await makeTopics(cluster.brokers, [{ topic, numPartitions: 2, replicationFactor: 1 }]);
  const keyOf = (partition: number) =>
    ['a', 'b', 'c', 'd', 'e', 'f'].find((key) => partitionHash(Buffer.from(key)) % 2 === partition) ?? '';
  const record = (partition: number, value: string) => ({
    topic,
    key: keyOf(partition),
    value: Buffer.from(value),
  });
  const publisher = await openPublisher({
    brokers: cluster.brokers,
    clientId: 'leaderless-test',
    log: quietLog,
    timeoutMs: 300_000,
  });
  atEnd(() => publisher.close());
  await publisher.publish([record(0, 'first'), record(1, 'first')]);

  const lone = cluster.nodes[(await leaderOf(topic, 1)) - 1];
  await stop(lone, topic);
  let waited = true;
  const waiting = Promise.all([
    publisher.publish([record(0, 'beside'), record(1, 'second')]),
    publisher.publish([record(1, 'third')]),
  ]).then(() => {
    waited = false;
  });
  for (const value of ['1', '2', '3']) await publisher.publish([record(0, value)]);
  for (const value of ['4', '5']) await publisher.publish([{ ...record(1, value), partition: 'any' }]);
  expect(waited).toBe(true);
  expect(publisher.healthy).toBe(true);

  await lone?.start();
  await waiting;
  const values: string[][] = [[], []];
  await readTopic({
    brokers: cluster.brokers,
    topic,
    untilEnd: true,
    onRecord: ({ partition, value }) => void values[partition]?.push(String(value)),
  });
  expect(values[1]).toEqual(['first', 'second', 'third']);
  expect(new Set(values[0])).toEqual(new Set(['first', 'beside', '1', '2', '3', '4', '5']));
});

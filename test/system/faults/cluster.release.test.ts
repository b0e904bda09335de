/** Tests three brokers: copies, and behaviour without one of them. */
import { beforeAll, expect, test } from 'vitest';
import { describeCluster } from '#cluster/describe.ts';
import type { KafkaCluster } from '#embedded/testing/cluster.ts';
import { partitionOfKey } from '#streams/client/port.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { createTopics } from '#topics/admin.ts';
import { POISON } from '../../integration/streams/count-by-key.ts';
import { CountingApplication } from '../../integration/streams/counting.ts';
import { withAdmin } from '../../support/admin.ts';
import { atEnd } from '../../support/at-end.ts';
import { changeBroker } from '../../support/broker-settings.ts';
import { FAULT_TIMEOUT_MS } from '../../support/harness.ts';
import { quietLog } from '../../support/log.ts';
import { untilTrue } from '../../support/poll.ts';
import { readRecords } from '../../support/read-records.ts';
import { leaveUndecided, UNVERIFIED } from '../../support/undecided.ts';
import { startCluster } from './killed-cluster.ts';

const NODE_IDS = [1, 2, 3];

let cluster: KafkaCluster;

beforeAll(async () => {
  cluster = await startCluster();
});

test('topics have three copies, and doctor warns of fewer', async () => {
  const { brokers } = cluster;
  expect(await createTopics({ brokers, prefix: 'three.', partitions: 1 })).toEqual({
    warnings: [],
    repaired: [],
  });
  const name = 'three.match-state';
  await untilTrue('all are in sync', async () => {
    const { topics } = await describeCluster(brokers, [name]);
    return topics.get(name)?.inSync === 3;
  });
  const { topics } = await describeCluster(brokers, [name]);
  expect(topics.get(name)?.settings?.get('min.insync.replicas')).toBe('2');
  expect(await createTopics({ brokers, prefix: 'one.', partitions: 1, replicationFactor: 1 })).toMatchObject({
    warnings: [expect.stringContaining('topics have one copy on 3 brokers')],
  });
  expect(await createTopics({ brokers, prefix: 'one.', partitions: 1 })).toMatchObject({
    warnings: [expect.stringMatching(/^existing topics have fewer copies: one\.access-tokens, one\.alert-/)],
  });
});

/** The broker with the only replica of some applications' dead letters. */
const ONLY_REPLICA = 3;

async function withLoneLetters(): Promise<CountingApplication> {
  const connection = { brokers: cluster.brokers, prefix: 'leaderless.' };
  const counting = await CountingApplication.create(connection, { letters: null });
  const topic = { topic: counting.letters, assignments: [{ partition: 0, brokers: [ONLY_REPLICA] }] };
  await withAdmin(cluster.brokers, (admin) => admin.createTopics({ topics: [topic] }));
  return counting;
}

/** Leaves a dead letter whose committed transaction lacks its marker. */
async function leaveLetter({ application, input, counts, letters, brokers }: CountingApplication) {
  const verify = (settings: Readonly<Record<string, string>>) =>
    Promise.all(NODE_IDS.map((nodeId) => changeBroker(brokers, nodeId, settings)));
  await verify(UNVERIFIED);
  await leaveUndecided({
    brokers,
    transactionalId: `${application}-${input}-1`,
    records: [{ topic: letters, partition: 0, key: 'earlier', value: Buffer.from('letter') }],
    decided: { records: [{ topic: counts, partition: 1, key: 'a', value: null }], commit: true },
  });
  await verify({});
}

/** Waits until one partition of each topic has no leader. */
async function untilLeaderless(names: readonly string[]): Promise<void> {
  await untilTrue('they have no leader', async () => {
    const { topics } = await describeCluster(cluster.brokers, names);
    return names.every((name) => topics.get(name)?.leaderless === 1);
  });
}

test('a shared partition whose only replica is down stops only its writers', async () => {
  const applications = [await withLoneLetters(), await withLoneLetters(), await withLoneLetters()] as const;
  const [running, claimed, undecided] = applications;
  const counts = (started: Awaited<ReturnType<CountingApplication['start']>>, records: number) =>
    untilTrue('they count', async () => (await started.metric('touchline_records_total')) === records);
  await leaveLetter(undecided);
  const ofRunning = await running.start();
  await running.send(['a', '1'], ['bb', '1']);
  await counts(ofRunning, 2);

  const lone = cluster.nodes[ONLY_REPLICA - 1];
  await lone?.kill('SIGKILL');
  await untilLeaderless(applications.map(({ letters }) => letters));
  // A task that has lost its connections continues.
  for (const value of ['2', '3', '4']) await running.send(['a', value], ['bb', value]);
  await counts(ofRunning, 8);
  // Partitions are claimed and processed; only records for that partition wait.
  const ofClaimed = await claimed.start();
  await claimed.send(['a', '1'], ['bb', '1']);
  await counts(ofClaimed, 2);
  expect(ofClaimed.stream.ready()).toBe(true);
  expect(await ofClaimed.metric('touchline_task_failures_total')).toBe(0);
  await claimed.send(['a', POISON], ['bb', '2']);
  await untilTrue(
    'a dead letter waits',
    async () => (await ofClaimed.metric('touchline_task_failures_total')) > 0,
  );
  await counts(ofClaimed, 3);
  const ofUndecided = await undecided.start();
  await undecided.send(['a', '1']);
  await counts(ofUndecided, 1);

  await lone?.start();
  await counts(ofClaimed, 4);
  expect(await claimed.read(claimed.letters)).toEqual({ '1/1': 'undecodable poison' });
  expect(await claimed.read(claimed.counts)).toEqual({ a: '1', bb: '2' });
  // The undecided record is committed before the next record in that partition.
  await undecided.send(['a', POISON]);
  await counts(ofUndecided, 2);
  expect(await undecided.read(undecided.letters)).toEqual({
    earlier: 'letter',
    '1/1': 'undecodable poison',
  });
});

test('records for other partitions do not wait for it', async () => {
  const topic = 'leaderless.published';
  const assignments = [
    { partition: 0, brokers: [1] },
    { partition: 1, brokers: [ONLY_REPLICA] },
  ];
  await withAdmin(cluster.brokers, (admin) => admin.createTopics({ topics: [{ topic, assignments }] }));
  const keyOf = (partition: number) =>
    ['a', 'b', 'c', 'd', 'e', 'f'].find((key) => partitionOfKey(key, 2) === partition) ?? '';
  const record = (partition: number, value: string) => ({
    topic,
    key: keyOf(partition),
    value: Buffer.from(value),
  });
  const publisher = await openPublisher({
    brokers: cluster.brokers,
    clientId: 'leaderless-test',
    log: quietLog,
    timeoutMs: FAULT_TIMEOUT_MS,
  });
  atEnd(() => publisher.close());
  await publisher.publish([record(0, 'first'), record(1, 'first')]);

  const lone = cluster.nodes[ONLY_REPLICA - 1];
  await lone?.kill('SIGKILL');
  await untilLeaderless([topic]);
  let waits = true;
  const waiting = Promise.all([
    publisher.publish([record(0, 'beside'), record(1, 'second')]),
    publisher.publish([record(1, 'third')]),
  ]).then(() => {
    waits = false;
  });
  for (const value of ['1', '2', '3']) await publisher.publish([record(0, value)]);
  for (const value of ['4', '5']) await publisher.publish([{ ...record(1, value), partition: 'any' }]);
  expect(waits).toBe(true);
  expect(publisher.healthy).toBe(true);

  await lone?.start();
  await waiting;
  const records = await readRecords(cluster.brokers, topic);
  const valuesOf = (of: number) =>
    records.filter(({ partition }) => partition === of).map(({ value }) => String(value));
  expect(valuesOf(1)).toEqual(['first', 'second', 'third']);
  expect(new Set(valuesOf(0))).toEqual(new Set(['first', 'beside', '1', '2', '3', '4', '5']));
});

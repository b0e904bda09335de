/** Tests three brokers: copies, and behaviour without one of them. */

import { setTimeout as delay } from 'node:timers/promises';
import { ConfigResourceTypes } from 'kafkajs';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeCluster } from '#cluster/describe.ts';
import { readTopic } from '#cluster/read-topic.ts';
import type { KafkaCluster } from '#embedded/kafka.ts';
import { securedListeners } from '#embedded/testing/secured-listeners.ts';
import type { Brokers } from '#security/brokers.ts';
import { partitionHash } from '#streams/client/port.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { rightsOf } from '#topics/acls.ts';
import { createTopics } from '#topics/admin.ts';
import { POISON } from '../../integration/streams/count-by-key.ts';
import { CountingApplication } from '../../integration/streams/counting.ts';
import { backbone } from '../../setup/backbone.ts';
import { grant } from '../../support/acls.ts';
import { atEnd } from '../../support/at-end.ts';
import { changeBroker } from '../../support/broker-settings.ts';
import { writeText } from '../../support/certificates.ts';
import { connectionEnv } from '../../support/environment.ts';
import {
  expectSame,
  FAULT_TIMEOUT_MS,
  IN_FULL,
  PARTITIONS,
  settledOrLogs,
  times,
  undisturbed,
} from '../../support/harness.ts';
import { withKafkaAdmin } from '../../support/kafkajs.ts';
import { quietLog } from '../../support/log.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { startService } from '../../support/processes.ts';
import { hasPrometheus, Prometheus } from '../../support/prometheus.ts';
import { brokerCertificates, PASSWORD } from '../../support/secured-kafka.ts';
import { seeded } from '../../support/seed.ts';
import { touchline, written } from '../../support/touchline.ts';
import { leaveUndecided, UNVERIFIED } from '../../support/undecided.ts';
import { workload } from '../../support/workload.ts';
import { type KillTimes, killInTurns, startCluster } from './killed-cluster.ts';
import { SteadyLoad } from './steady-load.ts';
import { TransitionLatency } from './transition-latency.ts';

const NODE_IDS = [1, 2, 3];
const ALERTS = ['TouchlineBrokersLost', 'TouchlineCopiesMissing'];

const place = backbone();
const PER_SECOND = 150;
const CALM_MS = times(30_000, 2_000);
const KILL_EVERY_MS = 10_000;
const KILLING_MS = times(180_000, 8_000);
/** More messages than can be sent during the test; the sent ones determine the expected output. */
const MESSAGES = workload({ events: 200, perEvent: times(600, 60), seed: 11 });

/**
 * User of all services of a tournament; test/system/security/rights.test.ts tests each service with only its rights.
 */
const USER = 'demonstration';
const SLOWLY = { everyMs: 30_000, killingMs: 300_000 };
/** Duration of the play, which continues for a while after the last kill. */
const PLAY_SECONDS = 330;

let cluster: KafkaCluster;

beforeAll(async () => {
  cluster = await startCluster();
});

test('topics have three copies, and doctor warns of fewer', async () => {
  const { brokers } = cluster;
  expect(await createTopics({ brokers, prefix: 'three.', partitions: 1 })).toEqual([]);
  const name = 'three.match-state';
  await untilTrue('all are in sync', async () => {
    const { topics } = await describeCluster(brokers, [name]);
    return topics.get(name)?.inSync === 3;
  });
  const { resources } = await withKafkaAdmin(brokers, (admin) =>
    admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name, configNames: ['min.insync.replicas'] }],
    }),
  );
  expect(resources[0]?.configEntries[0]?.configValue).toBe('2');
  expect(await createTopics({ brokers, prefix: 'one.', partitions: 1, replicationFactor: 1 })).toEqual([
    expect.stringContaining('topics have one copy on 3 brokers'),
  ]);
  expect(await createTopics({ brokers, prefix: 'one.', partitions: 1 })).toEqual([
    expect.stringMatching(/^existing topics have fewer copies: one\.raw-messages, /),
  ]);
});

/** The broker with the only replica of some applications' dead letters. */
const ONLY_REPLICA = 3;

async function withLoneLetters(): Promise<CountingApplication> {
  const place = { brokers: cluster.brokers, prefix: 'leaderless.' };
  const counting = await CountingApplication.create(place, { letters: null });
  const replicaAssignment = [{ partition: 0, replicas: [ONLY_REPLICA] }];
  await withKafkaAdmin(cluster.brokers, (admin) =>
    admin.createTopics({ topics: [{ topic: counting.letters, replicaAssignment }] }),
  );
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
  const replicaAssignment = [
    { partition: 0, replicas: [1] },
    { partition: 1, replicas: [ONLY_REPLICA] },
  ];
  await withKafkaAdmin(cluster.brokers, (admin) =>
    admin.createTopics({ topics: [{ topic, replicaAssignment }] }),
  );
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

test(
  `three brokers, one of them killed every ${KILL_EVERY_MS / 1_000} s for ${KILLING_MS / 1_000} s: the same output`,
  async () => {
    await playWhileKilling(cluster, 'killed', {
      everyMs: KILL_EVERY_MS,
      killingMs: KILLING_MS,
      publisher: cluster.brokers,
      processor: {},
    });
  },
  FAULT_TIMEOUT_MS,
);

test.skipIf(!hasPrometheus)(
  'the loss of one is an alert, as are the copies that it held, until it has caught up (needs prometheus)',
  async () => {
    const own = { ...backbone(), brokers: cluster.brokers, replicationFactor: 3 };
    await Pipeline.create(own);
    const monitor = startService('feed-monitor', { ...connectionEnv(own), SESSION_TIMEOUT_MS: '6000' });
    await monitor.ready();
    const prometheus = await Prometheus.start([['feed-monitor', monitor]]);
    await untilTrue('all brokers are known', async () => {
      const [reachable] = await prometheus.query('max(touchline_brokers_reachable)');
      return reachable?.value === 3;
    });
    const firing = async (): Promise<string[]> => {
      const all = await Promise.all(
        ALERTS.map(async (name) => ((await prometheus.firing(name)).length > 0 ? [name] : [])),
      );
      return all.flat();
    };
    await untilTrue('there is none', async () => (await firing()).length === 0);

    const [, , last] = cluster.nodes;
    await last?.kill('SIGKILL');
    await prometheus.fires('TouchlineCopiesMissing', { severity: 'warning' });
    await prometheus.fires('TouchlineBrokersLost', { severity: 'critical' });
    // Two of three copies are enough: every partition has a leader, and processing continues.
    expect(await prometheus.query('max(touchline_topics_impaired{lack="leader"}) > 0')).toEqual([]);

    await last?.start();
    await untilTrue('every alert ends', async () => (await firing()).length === 0);
  },
);

describe.each(IN_FULL)('%s', () => {
  test(
    `three brokers with TLS, SCRAM and access control lists, one of them killed every 30 s for 5 minutes: the same output`,
    async () => {
      const users = ['webhook-receiver', 'match-processor'] as const;
      const { tls, ca, folder } = await brokerCertificates();
      const security = securedListeners({
        tls,
        authorizer: true,
        users: Object.fromEntries(users.map((user) => [user, PASSWORD])),
      });
      const cluster = await startCluster({ security });
      const prefix = `${place.prefix}secured.`;
      for (const user of users) await grant(cluster.brokers, user, rightsOf(prefix, user));
      // Plain connections have all rights; only the tournament uses secured ones.
      const addresses = cluster.nodes.flatMap(({ secured }) => secured?.sasl ?? []);
      const password = writeText(folder, 'password', PASSWORD);
      await playWhileKilling(cluster, 'secured', {
        ...SLOWLY,
        publisher: {
          addresses,
          tls: { ca, cert: null, key: null, keyPassword: null },
          sasl: { mechanism: 'SCRAM-SHA-512', username: 'webhook-receiver', password: { file: password } },
        },
        processor: {
          KAFKA_BROKERS: addresses.join(','),
          KAFKA_TLS: 'on',
          KAFKA_TLS_CA_FILE: ca,
          KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
          KAFKA_SASL_USERNAME: 'match-processor',
          KAFKA_SASL_PASSWORD_FILE: password,
        },
      });
    },
    FAULT_TIMEOUT_MS,
  );

  test(
    'a tournament on three brokers with TLS, SCRAM and access control lists, one of them killed every 30 s for 5 minutes: all is right in the end',
    async () => {
      const { registryUrl } = place;
      const prefix = `${place.prefix}tournament.`;
      const { tls, ca, folder } = await brokerCertificates();
      const cluster = await startCluster({
        security: securedListeners({ tls, authorizer: true, users: { [USER]: PASSWORD } }),
      });
      await createTopics({ brokers: cluster.brokers, prefix });
      const all = { name: prefix, pattern: 'Prefixed' } as const;
      await grant(cluster.brokers, USER, [
        { ...all, operation: 'Read', resource: 'Topic' },
        { ...all, operation: 'Write', resource: 'Topic' },
        { ...all, operation: 'Read', resource: 'Group' },
        { ...all, operation: 'Write', resource: 'TransactionalId' },
      ]);
      const demonstration = touchline(['demo'], {
        HOME: folder,
        DATA_DIR: folder,
        TOPIC_PREFIX: prefix,
        SCHEMA_REGISTRY_URL: registryUrl,
        KAFKA_BROKERS: cluster.nodes.flatMap(({ secured }) => secured?.sasl ?? []).join(','),
        KAFKA_TLS: 'on',
        KAFKA_TLS_CA_FILE: ca,
        KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
        KAFKA_SASL_USERNAME: USER,
        KAFKA_SASL_PASSWORD_FILE: writeText(folder, 'password', PASSWORD),
        DURATION: String(PLAY_SECONDS),
        FAULTS: 'many',
        WEBHOOK_PORT: '0',
        API_PORT: '0',
        TOOLS_PORT: '0',
        DISPATCHER_PORT: '0',
      });
      await written(demonstration, 'live board: ');
      const killed = await killInTurns(cluster, `${prefix}match-processor`, SLOWLY, seeded());
      const code = await demonstration.ended;
      process.stderr.write(`brokers killed: ${killed}\n${demonstration.out}`);
      expect(killed).toBeGreaterThanOrEqual(8);
      expect(demonstration.out).toContain('✓ all 64 final scores and 4 shoot-outs are the official ones');
      expect([code, demonstration.out]).toEqual([0, expect.not.stringContaining('✗')]);
    },
    FAULT_TIMEOUT_MS,
  );
});

/** Kills of brokers, and the connections of the publisher and the processors. */
type Killing = KillTimes & {
  readonly publisher: Brokers;
  /** Settings of the processors. */
  readonly processor: Readonly<Record<string, string>>;
};

/** Publishes steadily while brokers are killed, and compares the output with that of an undisturbed run. */
async function playWhileKilling(cluster: KafkaCluster, name: string, killing: Killing): Promise<void> {
  const on = {
    ...place,
    brokers: cluster.brokers,
    prefix: `${place.prefix}${name}.`,
    replicationFactor: 3,
    partitions: PARTITIONS,
  };
  const pipeline = await Pipeline.create(on);
  const processors = [pipeline.startProcessor(killing.processor), pipeline.startProcessor(killing.processor)];
  await Promise.all(processors.map((processor) => processor.ready()));
  const random = seeded();
  const latency = await TransitionLatency.start(on);
  const load = await SteadyLoad.open({ ...on, brokers: killing.publisher }, MESSAGES);
  const under = (phase: string, done: Promise<unknown>) =>
    load.during(PER_SECOND, done, ({ message_id }) => latency.sent(message_id, phase));

  await under('warming up', delay(CALM_MS));
  await under('before', delay(CALM_MS));
  const killed = killInTurns(cluster, `${on.prefix}match-processor`, killing, random);
  await under('during', killed);
  await under('after', delay(CALM_MS));
  await load.close();
  await settledOrLogs(pipeline, processors);
  const actual = await pipeline.output();
  await latency.close();
  process.stderr.write(`brokers killed: ${await killed}\n${latency.summary}\n`);

  const expected = await undisturbed({ ...place, prefix: `${place.prefix}${name}-calm.` }, [...load.sent]);
  expect(await killed).toBeGreaterThan(0);
  expectSame(actual, expected, { offsets: false });
}

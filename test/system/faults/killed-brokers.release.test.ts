/** Tests three brokers that are killed in turns while messages arrive. */

import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { KafkaCluster } from '#embedded/kafka.ts';
import { securedListeners } from '#embedded/testing/secured-listeners.ts';
import type { Brokers } from '#security/brokers.ts';
import { rightsOf } from '#topics/acls.ts';
import { createTopics } from '#topics/admin.ts';
import { backbone } from '../../setup/backbone.ts';
import { grant } from '../../support/acls.ts';
import { writeText } from '../../support/certificates.ts';
import {
  expectSame,
  FAULT_TIMEOUT_MS,
  IN_FULL,
  PARTITIONS,
  settledOrLogs,
  times,
  undisturbed,
} from '../../support/harness.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { brokerCertificates, PASSWORD, saslSettings } from '../../support/secured-kafka.ts';
import { seeded } from '../../support/seed.ts';
import { touchline, written } from '../../support/touchline.ts';
import { workload } from '../../support/workload.ts';
import { type KillTimes, killInTurns, startCluster } from './killed-cluster.ts';
import { SteadyLoad } from './steady-load.ts';
import { TransitionLatency } from './transition-latency.ts';

const connection = backbone();
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

test(
  `three brokers, one of them killed every ${KILL_EVERY_MS / 1_000} s for ${KILLING_MS / 1_000} s: the same output`,
  async () => {
    const cluster = await startCluster();
    await playWhileKilling(cluster, 'killed', {
      everyMs: KILL_EVERY_MS,
      killingMs: KILLING_MS,
      publisher: cluster.brokers,
      processor: {},
    });
  },
  FAULT_TIMEOUT_MS,
);

describe.each(IN_FULL)('%s', () => {
  test(
    `three brokers with TLS, SCRAM and access control lists, one of them killed every 30 s for 5 minutes: the same output`,
    async () => {
      const users = ['webhook-receiver', 'match-processor'] as const;
      const { cluster, addresses, ca, password, envOf } = await startSecuredCluster(users);
      const prefix = `${connection.prefix}secured.`;
      for (const user of users) await grant(cluster.brokers, user, rightsOf(prefix, user));
      await playWhileKilling(cluster, 'secured', {
        ...SLOWLY,
        publisher: {
          addresses,
          tls: { ca, cert: null, key: null, keyPassword: null },
          sasl: { mechanism: 'SCRAM-SHA-512', username: 'webhook-receiver', password: { file: password } },
        },
        processor: envOf('match-processor'),
      });
    },
    FAULT_TIMEOUT_MS,
  );

  test(
    'a tournament on three brokers with TLS, SCRAM and access control lists, one of them killed every 30 s for 5 minutes: all is right in the end',
    async () => {
      const { registryUrl } = connection;
      const prefix = `${connection.prefix}tournament.`;
      const { cluster, folder, envOf } = await startSecuredCluster([USER]);
      await createTopics({ brokers: cluster.brokers, prefix });
      const all = { name: prefix, pattern: 'Prefixed' } as const;
      await grant(cluster.brokers, USER, [
        { ...all, operation: 'Read', resource: 'Topic' },
        { ...all, operation: 'Write', resource: 'Topic' },
        { ...all, operation: 'Read', resource: 'Group' },
        { ...all, operation: 'Write', resource: 'TransactionalId' },
      ]);
      const demonstration = touchline(['demo'], {
        ...envOf(USER),
        HOME: folder,
        DATA_DIR: folder,
        TOPIC_PREFIX: prefix,
        SCHEMA_REGISTRY_URL: registryUrl,
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

/** Starts three brokers with TLS, SCRAM and access control lists. Plain connections have all rights. */
async function startSecuredCluster(users: readonly string[]) {
  const { tls, ca, folder } = await brokerCertificates();
  const security = securedListeners({
    tls,
    authorizer: true,
    users: Object.fromEntries(users.map((user) => [user, PASSWORD])),
  });
  const cluster = await startCluster({ security });
  const addresses = cluster.nodes.flatMap(({ secured }) => secured?.sasl ?? []);
  const password = writeText(folder, 'password', PASSWORD);
  const envOf = (user: string): Record<string, string> => ({
    ...saslSettings(addresses, ca, 'SCRAM-SHA-512'),
    KAFKA_SASL_USERNAME: user,
    KAFKA_SASL_PASSWORD_FILE: password,
  });
  return { cluster, folder, ca, addresses, password, envOf };
}

/** Kills of brokers, and the connections of the publisher and the processors. */
type Killing = KillTimes & {
  readonly publisher: Brokers;
  /** Settings of the processors. */
  readonly processor: Readonly<Record<string, string>>;
};

/** Publishes steadily while brokers are killed, and compares the output with that of an undisturbed run. */
async function playWhileKilling(cluster: KafkaCluster, name: string, killing: Killing): Promise<void> {
  const on = {
    ...connection,
    brokers: cluster.brokers,
    prefix: `${connection.prefix}${name}.`,
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

  const expected = await undisturbed({ ...connection, prefix: `${connection.prefix}${name}-calm.` }, [
    ...load.sent,
  ]);
  expect(await killed).toBeGreaterThan(0);
  expectSame(actual, expected, { offsets: false });
}

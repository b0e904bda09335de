/** Tests three brokers that are killed in turns while messages arrive. */

import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { KafkaCluster } from '#embedded/testing/cluster.ts';
import { securedListeners } from '#embedded/testing/secured-listeners.ts';
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

const connection = backbone();
const PER_SECOND = 150;
const TICK_MS = 20;
const CALM_MS = times(30_000, 2_000);
const KILL_EVERY_MS = 10_000;
const KILLING_MS = times(180_000, 8_000);
/** More messages than can be sent during the test; the sent ones determine the expected output. */
const MESSAGES = workload({ events: 200, perEvent: times(600, 60), seed: 11 });

/**
 * User of all services of a tournament; test/system/security/rights.ts tests each service with only its rights.
 */
const USER = 'demonstration';
const SLOWLY = { everyMs: 30_000, killingMs: 300_000 };
/** Duration of the play, which continues for a while after the last kill. */
const PLAY_SECONDS = 330;

test(
  `three brokers, one of them killed every ${KILL_EVERY_MS / 1_000} s for ${KILLING_MS / 1_000} s: the same output`,
  async () => {
    const cluster = await startCluster();
    await playWhileKilling(cluster, { everyMs: KILL_EVERY_MS, killingMs: KILLING_MS });
  },
  FAULT_TIMEOUT_MS,
);

describe.each(IN_FULL)('%s', () => {
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
        { ...all, operation: 'DescribeConfigs', resource: 'Topic' },
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
      expect(demonstration.out).toContain('✓ all 64 final scores are the official ones');
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
  const addresses = cluster.nodes.map(({ ports }) => `127.0.0.1:${ports.SASL}`);
  const password = writeText(folder, 'password', PASSWORD);
  const envOf = (user: string): Record<string, string> => ({
    ...saslSettings(addresses, ca, 'SCRAM-SHA-512'),
    KAFKA_SASL_USERNAME: user,
    KAFKA_SASL_PASSWORD_FILE: password,
  });
  return { cluster, folder, envOf };
}

/** Publishes steadily while brokers are killed, and compares the output with that of an undisturbed run. */
async function playWhileKilling(cluster: KafkaCluster, killing: KillTimes): Promise<void> {
  const on = {
    ...connection,
    brokers: cluster.brokers,
    prefix: `${connection.prefix}killed.`,
    replicationFactor: 3,
    partitions: PARTITIONS,
  };
  const pipeline = await Pipeline.create(on);
  const processors = [pipeline.startProcessor(), pipeline.startProcessor()];
  await Promise.all(processors.map((processor) => processor.ready()));
  const random = seeded();
  const feed = await pipeline.openFeed();
  const published: Promise<void>[] = [];
  let sent = 0;
  /** Publishes messages in order and at a steady rate, like an ingress service, until `done` resolves. */
  const loadDuring = async (done: Promise<unknown>): Promise<void> => {
    let isDone = false;
    const ended = done.finally(() => {
      isDone = true;
    });
    ended.catch(() => {});
    const [started, before] = [performance.now(), sent];
    while (!isDone) {
      const due = before + Math.floor(((performance.now() - started) * PER_SECOND) / 1_000);
      if (due > MESSAGES.length) throw new Error(`the load has ${MESSAGES.length} messages only`);
      const next = feed.send(MESSAGES.slice(sent, due));
      next.catch(() => {});
      published.push(next);
      sent = due;
      await delay(TICK_MS);
    }
    await ended;
  };
  await loadDuring(delay(CALM_MS));
  const killed = killInTurns(cluster, `${on.prefix}match-processor`, killing, random);
  await loadDuring(killed);
  await loadDuring(delay(CALM_MS));
  await Promise.all(published);
  await feed.close();
  await settledOrLogs(pipeline, processors);
  const actual = await pipeline.output();
  const expected = await undisturbed(
    { ...connection, prefix: `${connection.prefix}calm.` },
    MESSAGES.slice(0, sent),
  );
  expect(await killed).toBeGreaterThan(0);
  expectSame(actual, expected, { offsets: false });
}

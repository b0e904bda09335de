import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Admin, Kafka as Client, ConfigResourceTypes, type EachMessagePayload, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTopic } from '#cluster/read-topic.ts';
import { type KafkaCluster, startKafkaCluster } from '#embedded/kafka.ts';
import { answersMetadata } from '#embedded/metadata.ts';
import { HOST } from '#embedded/ports.ts';
import { QUICK_REJOIN, QUICK_START } from '#embedded/settings.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { createTopics } from '#topics/admin.ts';
import { IN_FULL, times } from '../../support/harness.ts';
import { quietLog } from '../../support/log.ts';
import { untilTrue } from '../../support/poll.ts';
import { makeTopics } from '../../support/topics.ts';

const TOPIC = 'facts';
const REPLICAS = [1, 2, 3];
/** Each costs a start of a broker. */
const KILLED = times(3, 1);

let dataDir: string;
let cluster: KafkaCluster;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchline-cluster-'));
  cluster = await startKafkaCluster({ dataDir, brokers: 3, settings: QUICK_REJOIN, jvmArgs: QUICK_START });
});
afterAll(async () => {
  await cluster?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

function client(): Client {
  return new Client({
    brokers: cluster.brokers,
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 50, maxRetryTime: 1_000, retries: 40 },
  });
}

async function withAdmin<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = client().admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

/** The in-sync replicas of each partition of a topic, sorted. */
async function inSync(topic: string): Promise<number[][]> {
  return withAdmin(async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return (topics[0]?.partitions ?? []).map(({ isr }) => [...isr].sort((a, b) => a - b));
  });
}

const untilInSync = (topic: string) =>
  untilTrue(`all replicas of ${topic} are in sync`, async () => {
    // The broker asked may be starting.
    const replicas = await inSync(topic).catch(() => [[]]);
    return replicas.every((one) => one.length === REPLICAS.length);
  });

/** Writes values in one transaction with acks=all: the cluster has its internal topics then. */
async function writeInTransaction(values: string[]): Promise<void> {
  const producer = client().producer({ transactionalId: 'writer', maxInFlightRequests: 1, idempotent: true });
  await producer.connect();
  const transaction = await producer.transaction();
  await transaction.send({
    topic: TOPIC,
    acks: -1,
    messages: values.map((value) => ({ key: value, value })),
  });
  await transaction.commit();
  await producer.disconnect();
}

/** Writes values with acks=all, retrying until they are acknowledged. */
async function write(values: string[]): Promise<void> {
  const publisher = await openPublisher({ brokers: cluster.brokers, clientId: 'writer', log: quietLog });
  await publisher.publish(values.map((value) => ({ topic: TOPIC, key: value, value: Buffer.from(value) })));
  await publisher.close();
}

/** All values, in the order of the strings: a repeated one once. */
async function readAll(): Promise<string[]> {
  const values = new Set<string>();
  await readTopic({
    brokers: cluster.brokers,
    topic: TOPIC,
    untilEnd: true,
    onRecord: ({ value }) => void values.add(String(value)),
  });
  return [...values].sort();
}

/** All committed values, in the order of the strings, read by a new group. */
async function readInGroup(groupId: string, count: number): Promise<string[]> {
  const consumer = client().consumer({ groupId, readUncommitted: false, maxWaitTimeInMs: 100 });
  const values: string[] = [];
  await consumer.connect();
  await consumer.subscribe({ topics: [TOPIC], fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }: EachMessagePayload) => void values.push(String(message.value)),
  });
  await untilTrue(`${count} values are read`, () => values.length >= count);
  await consumer.disconnect();
  return values.sort();
}

describe('three brokers', () => {
  test('keep three replicas of every topic, internal ones too', async () => {
    await makeTopics(cluster.brokers, [{ topic: TOPIC, numPartitions: 3 }]);
    await writeInTransaction(['a', 'b', 'c']);
    expect(await readInGroup('before', 3)).toEqual(['a', 'b', 'c']);
    for (const topic of [TOPIC, '__transaction_state', '__consumer_offsets']) {
      await untilInSync(topic);
      expect(new Set((await inSync(topic)).map(String)), topic).toEqual(new Set([String(REPLICAS)]));
    }
  });

  test('give the topics of Touchline three copies, and warn of fewer', async () => {
    const { brokers } = cluster;
    expect(await createTopics({ brokers, prefix: 'three.', partitions: 1 })).toEqual([]);
    const state = 'three.match-state';
    await untilInSync(state);
    expect(await inSync(state)).toEqual([REPLICAS]);
    const { resources } = await withAdmin((admin) =>
      admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: ConfigResourceTypes.TOPIC, name: state, configNames: ['min.insync.replicas'] }],
      }),
    );
    expect(resources[0]?.configEntries[0]?.configValue).toBe('2');
    expect(await createTopics({ brokers, prefix: 'one.', partitions: 1, replicationFactor: 1 })).toEqual([
      expect.stringContaining('topics have one copy on 3 brokers'),
    ]);
    expect(await createTopics({ brokers, prefix: 'one.', partitions: 1 })).toEqual([
      expect.stringMatching(/^topics that were there have fewer copies: one\.raw-messages, /),
    ]);
  });

  test(`${KILLED} of them are killed: written records stay readable, acks=all succeeds, and it restarts at its port`, async () => {
    const written = ['a', 'b', 'c'];
    for (const [index, node] of cluster.nodes.slice(0, KILLED).entries()) {
      const { pid } = node;
      await node.kill(index === 1 ? 'SIGTERM' : 'SIGKILL');
      expect(node.pid).toBeUndefined();
      const values = [`d${index}`, `e${index}`];
      await write(values);
      written.push(...values);
      expect(await readAll()).toEqual([...written].sort());
      await node.start();
      expect(node.pid).not.toBe(pid);
      expect(await answersMetadata(HOST, node.port)).toBe(true);
      for (const topic of [TOPIC, '__transaction_state', '__consumer_offsets']) await untilInSync(topic);
    }
  });

  describe.each(IN_FULL)('%s', () => {
    test('are the same cluster after a stop and a start', async () => {
      const before = cluster.brokers;
      await cluster.stop();
      cluster = await startKafkaCluster({
        dataDir,
        brokers: 3,
        settings: QUICK_REJOIN,
        jvmArgs: QUICK_START,
      });
      expect(cluster.brokers).toEqual(before);
      expect(await readAll()).toHaveLength(3 + 2 * KILLED);
    });
  });
});

describe.each(IN_FULL)('%s', () => {
  test('a cluster ends with the process that started it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'touchline-orphans-'));
    const program = `
    const { startKafkaCluster } = await import(process.argv[1]);
    const cluster = await startKafkaCluster({ dataDir: process.argv[2], brokers: 3, jvmArgs: ['-XX:TieredStopAtLevel=1'] });
    process.stdout.write(JSON.stringify(cluster.nodes.map(({ pid }) => pid)), () => process.kill(process.pid, 'SIGKILL'));
  `;
    const module = join(import.meta.dirname, '..', '..', '..', 'libs', 'embedded', 'kafka.ts');
    const args = ['--input-type=module', '--eval', program, module, folder];
    const said = await promisify(execFile)(process.execPath, args).catch(
      (killed: { stdout: string }) => killed,
    );
    const pids: number[] = JSON.parse(said.stdout);
    expect(pids).toHaveLength(3);
    await untilTrue('no broker is left', () => pids.every((pid) => !runs(pid)));
    await rm(folder, { recursive: true, force: true });
  });
});

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

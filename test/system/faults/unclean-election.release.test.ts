/**
 * Tests an unclean election on three brokers: the leader with the last records dies, and a replica without them leads.
 * Committed records are missing in one log but not in the others: the runtime must refuse the partition and publish
 * nothing from the remaining records.
 */
import { alterPartitionReassignmentsV0, ConfigResourceTypes } from '@platformatic/kafka';
import { beforeAll, expect, test } from 'vitest';
import { requestAny } from '#cluster/access.ts';
import { withConnections } from '#cluster/connections.ts';
import type { Kafka, KafkaCluster } from '#embedded/kafka.ts';
import { metadataOf } from '#streams/client/platformatic/connections.ts';
import { setPosition } from '../../../cli/commands/position/set-position.ts';
import { CountingApplication, keepingLog } from '../../integration/streams/counting.ts';
import { withAdmin } from '../../support/admin.ts';
import { untilTrue } from '../../support/poll.ts';
import { startCluster } from './killed-cluster.ts';

/** The nodes with the two replicas: the first leads until it dies, the second is behind. */
const [LEADER, BEHIND] = [1, 2];
/** Partition of the only key. */
const PARTITION = 1;
/** Timeout on the broker of a reassignment. */
const REASSIGN_MS = 30_000;

let cluster: KafkaCluster;
const applications = new Map<Lost, Application>();

const LOST = ['input', 'changelog', 'nothing'] as const;
type Lost = (typeof LOST)[number];

/** An application with the member that runs during the election. */
type Application = {
  readonly counting: CountingApplication;
  readonly lines: readonly string[];
  readonly stop: () => Promise<void>;
  /** Returns the number of records that the member has committed. */
  readonly records: () => Promise<number>;
};

beforeAll(async () => {
  cluster = await startCluster({ settings: { 'unclean.leader.election.enable': 'true' } });
  for (const lost of LOST) applications.set(lost, await startApplication(lost));
  const doomed = [of('input').counting.input, of('changelog').counting.counts];
  await countEach('1', 1);
  await nodeOf(BEHIND).kill('SIGKILL');
  for (const topic of doomed) await untilInSync(topic, [LEADER]);
  await countEach('2', 2);
  await countEach('3', 3);
  await nodeOf(LEADER).kill('SIGKILL');
  await nodeOf(BEHIND).start();
  for (const topic of doomed)
    await untilTrue(`${topic} is led by the replica that was behind`, async () => {
      return (await partitionOf(topic))?.leaderId === BEHIND;
    });
  // They take the offsets of the lost records.
  for (const { counting } of applications.values())
    for (const value of ['x', 'y', 'z']) await counting.send(['a', value]);
});

async function startApplication(lost: Lost): Promise<Application> {
  const counting = await CountingApplication.create({ brokers: cluster.brokers, prefix: 'unclean.' });
  if (lost === 'input') await withTwoReplicas(counting.input);
  if (lost === 'changelog') await withTwoReplicas(counting.counts);
  const { log, lines } = keepingLog();
  const { stream, metric } = await counting.start({}, { log });
  const records = () => metric('touchline_records_total');
  return { counting, lines, stop: () => stream.stop(), records };
}

/** Gives the partition two replicas of which one suffices to acknowledge. */
async function withTwoReplicas(topic: string): Promise<void> {
  const configs = [
    { name: 'min.insync.replicas', value: '1' },
    { name: 'unclean.leader.election.enable', value: 'true' },
  ];
  const resource = { resourceType: ConfigResourceTypes.TOPIC, resourceName: topic, configs };
  await withAdmin(cluster.brokers, (admin) => admin.alterConfigs({ resources: [resource] }));
  // First a single replica, so that the second one does not lead.
  await assignReplicas(topic, [LEADER]);
  await assignReplicas(topic, [LEADER, BEHIND]);
}

async function assignReplicas(topic: string, replicas: number[]): Promise<void> {
  const assigned = { name: topic, partitions: [{ partitionIndex: PARTITION, replicas }] };
  await withConnections(cluster.brokers, 'test', async (connections) =>
    alterPartitionReassignmentsV0.api.async(await connections.controller(), REASSIGN_MS, false, [assigned]),
  );
  await untilInSync(topic, replicas);
  // The former leader may still lead for a moment.
  await untilTrue(`${LEADER} leads ${topic}`, async () => (await partitionOf(topic))?.leaderId === LEADER);
}

/** Lets every application count further records, each in a separate transaction. */
async function countEach(value: string, count: number): Promise<void> {
  for (const [lost, { counting, records, lines }] of applications) {
    await counting.send(['a', value]);
    await untilTrue(`${lost}: a counts ${value}`, async () => (await records()) === count).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${lines.join('\n')}`);
      },
    );
  }
}

function of(lost: Lost): Application {
  const application = applications.get(lost);
  if (application === undefined) throw new Error(`no application that loses its ${lost}`);
  return application;
}

function nodeOf(id: number): Kafka {
  const node = cluster.nodes[id - 1];
  if (node === undefined) throw new Error(`no broker ${id}`);
  return node;
}

/** Returns the partition's metadata; undefined while no broker answers. */
async function partitionOf(topic: string) {
  const metadata = await requestAny(cluster.brokers, (broker) => metadataOf(broker, [topic]));
  return metadata?.topics[0]?.partitions.find(({ partitionIndex }) => partitionIndex === PARTITION);
}

const untilInSync = (topic: string, nodes: readonly number[]) =>
  untilTrue(`${nodes} are in sync for ${topic}`, async () => {
    const inSync = (await partitionOf(topic))?.isrNodes.toSorted((a, b) => a - b);
    return inSync?.join() === nodes.join();
  });

const says = (lines: readonly string[], code: string) => (): boolean =>
  lines.some((line) => line.startsWith('{"partition":1,') && line.includes(`"${code}"`));

/**
 * Expects that the running member and a new one refuse the partition, and that neither has committed a record since.
 */
async function refused({ counting, lines, records, stop }: Application, code: string): Promise<void> {
  await untilTrue(`the running member says ${code}`, says(lines, code)).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${lines.join('\n')}`);
  });
  expect(await records()).toBe(3);
  await stop();
  await refusedAtStart(counting, code);
}

async function refusedAtStart(counting: CountingApplication, code: string): Promise<void> {
  const { log, lines } = keepingLog();
  const { stream, metric } = await counting.start({}, { log });
  await untilTrue(`a new member says ${code}`, says(lines, code));
  expect(stream.ready()).toBe(false);
  expect(await metric('touchline_records_total')).toBe(0);
  await stream.stop();
}

test('an input that lost processed records is refused, and later records are not counted', async () => {
  const application = of('input');
  await refused(application, 'INPUT_TRUNCATED');
  expect(await application.counting.history(application.counting.counts)).toEqual([
    ['a', '1'],
    ['a', '2'],
    ['a', '3'],
  ]);
});

test('a changelog that lost state is refused, and the remaining state is not continued', async () => {
  const application = of('changelog');
  await refused(application, 'CHANGELOG_TRUNCATED');
  expect(await application.counting.history(application.counting.counts)).toEqual([['a', '1']]);
});

test('an application that lost nothing continues during the election', async () => {
  const { counting, records, lines } = of('nothing');
  await untilTrue('it counts all', async () => (await records()) === 6).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${lines.join('\n')}`);
  });
  expect(await counting.read(counting.counts)).toEqual({ a: '6' });
});

test('the former leader truncates its log, and an operator decides where to continue', async () => {
  await nodeOf(LEADER).start();
  const { counting } = of('input');
  await untilInSync(counting.input, [LEADER, BEHIND]);
  await refusedAtStart(counting, 'INPUT_TRUNCATED');
  const { application, brokers, input, counts } = counting;
  const topics = { application, input, changelogs: [counts], outputs: [] };
  // The lost records began at offset 1.
  await setPosition(topics, { brokers, partition: PARTITION, to: 1 });
  const { metric } = await counting.start();
  await untilTrue('it continues', async () => (await metric('touchline_records_total')) === 3);
  expect(await counting.read(counts)).toEqual({ a: '6' });
});

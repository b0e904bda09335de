import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka as Client, type EachMessagePayload, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Kafka, startKafka } from '#embedded/kafka.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { QUICK_REJOIN } from '#embedded/testing/settings.ts';
import { IN_FULL } from '../../support/harness.ts';
import { untilTrue } from '../../support/poll.ts';
import { makeTopics } from '../../support/topics.ts';

const TOPIC = 'facts';
const GROUP = 'readers';

let folder: string;
let dataDir: string;
let kafka: Kafka | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchline-kafka-'));
  dataDir = join(folder, 'data of a broker');
});
afterAll(async () => {
  await kafka?.stop();
  await rm(folder, { recursive: true, force: true });
});

function client(): Client {
  return new Client({
    brokers: kafka?.brokers ?? [],
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 50, retries: 20 },
  });
}

/** Writes values in one transaction, which is committed or left open. */
async function write(transactionalId: string, values: string[], end: 'commit' | 'leave open'): Promise<void> {
  const producer = client().producer({ transactionalId, maxInFlightRequests: 1, idempotent: true });
  await producer.connect();
  const transaction = await producer.transaction();
  await transaction.send({ topic: TOPIC, messages: values.map((value) => ({ value })) });
  if (end === 'commit') await transaction.commit();
  await producer.disconnect();
}

/** Reads at least `count` committed values after the group's offsets, and commits the new offsets. */
async function read(groupId: string, count: number): Promise<string[]> {
  const consumer = client().consumer({ groupId, readUncommitted: false, maxWaitTimeInMs: 100 });
  const values: string[] = [];
  await consumer.connect();
  await consumer.subscribe({ topics: [TOPIC], fromBeginning: true });
  const eachMessage = async ({ message }: EachMessagePayload) => void values.push(String(message.value));
  await consumer.run({ eachMessage });
  await untilTrue(`${count} values are read`, () => values.length >= count);
  await consumer.disconnect(); // commits
  return values;
}

describe('one broker and its data folder', () => {
  test('formats a new folder, and returns when the broker is ready', async () => {
    kafka = await startKafka({ dataDir, settings: QUICK_REJOIN, jvmArgs: QUICK_START });
    await makeTopics(kafka.brokers, [{ topic: TOPIC, numPartitions: 1 }]);
    await write('first', ['a', 'b'], 'commit');
    await write('second', ['x'], 'leave open');
    expect(await read(GROUP, 2)).toEqual(['a', 'b']);
  });

  test('does not create a topic by its use', async () => {
    const admin = client().admin();
    await admin.connect();
    await expect(admin.fetchTopicMetadata({ topics: ['nobody-made-it'] })).rejects.toThrow();
    await admin.disconnect();
  });

  test('refuses a second broker in the folder, from this and from another process', async () => {
    const message = `the data folder ${dataDir} is in use by process ${process.pid}: stop that one, or set DATA_DIR to another folder`;
    await expect(startKafka({ dataDir })).rejects.toMatchObject({ code: 'DATA_FOLDER_IN_USE', message });
    const program = `
      const { startKafka } = await import(process.argv[1]);
      await startKafka({ dataDir: process.argv[2] }).catch((error) => console.log(error.message));
    `;
    const module = join(import.meta.dirname, '..', '..', '..', 'libs', 'embedded', 'kafka.ts');
    const args = ['--input-type=module', '--eval', program, module, dataDir];
    const other = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await once(other.stdout, 'data')) as [Buffer];
    expect(said.toString().trim()).toBe(message);
  });

  // A start after a kill alone: test/integration/streams/kept-state.test.ts.
  test('keeps port, topics, offsets and transactions of a folder after a kill and a stop', async () => {
    const { port, pid } = kafka ?? {};
    await kafka?.kill('SIGKILL');
    expect(kafka?.pid).toBeUndefined();
    await kafka?.stop();
    kafka = await startKafka({ dataDir, settings: QUICK_REJOIN, jvmArgs: QUICK_START });
    expect(kafka.port).toBe(port);
    expect(kafka.pid).not.toBe(pid);
    await write('second', ['c'], 'commit'); // the new producer ends the transaction that was left open
    expect(await read(GROUP, 1)).toEqual(['c']);
    expect(await read('others', 3)).toEqual(['a', 'b', 'c']);
  });

  test.runIf(process.platform === 'linux')('maps the archive of its classes into its Java', async () => {
    expect(await readFile(`/proc/${kafka?.pid}/maps`, 'utf8')).toMatch(/\/classes\/kafka-java-\S+\.jsa$/m);
  });

  test('rejects a fixed port that is taken', async () => {
    const port = kafka?.port ?? 0;
    await expect(startKafka({ dataDir: join(folder, 'other'), port })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
    });
  });
});

// Downloads that version.
describe.each(IN_FULL)('%s', () => {
  test('refuses data of a newer broker, and names the remedy', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'touchline-newer-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const newer = await startKafka({ dataDir, version: '4.3.1', jvmArgs: QUICK_START });
    await newer.stop();
    await expect(startKafka({ dataDir, jvmArgs: QUICK_START })).rejects.toMatchObject({
      code: 'DATA_FOLDER_NEWER',
      message: expect.stringContaining(`the data in ${dataDir} was written by a newer Kafka`),
    });
    // The refused data is undamaged: the newer broker still reads it.
    const again = await startKafka({ dataDir, version: '4.3.1', jvmArgs: QUICK_START });
    await again.stop();
  });
});

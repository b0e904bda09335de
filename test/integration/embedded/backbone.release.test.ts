import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Kafka as Client, type EachMessagePayload, logLevel } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readyClusterId } from '#cluster/access.ts';
import { describeCluster } from '#cluster/describe.ts';
import { type Backbone, startBackbone } from '#embedded/backbone.ts';
import { startKafka } from '#embedded/kafka.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { IN_FULL } from '../../support/harness.ts';
import { untilTrue } from '../../support/poll.ts';
import { makeTopics } from '../../support/topics.ts';

const TOPIC = 'facts';
const GROUP = 'readers';
const MAIN = join(import.meta.dirname, 'backbone.fixture.ts');
const SCHEMAS = Array.from({ length: 100 }, (_, at) => ({
  type: 'record',
  name: `Fact${at}`,
  fields: [{ name: 'what', type: 'string' }],
}));
/** An environment that always leads to an embedded broker. */
const { KAFKA_BROKERS, SCHEMA_REGISTRY_URL, ...rest } = process.env;
const env = { ...rest, DOCKER_HOST: 'unix:///nowhere/docker.sock' };

let dataDir: string;
let parent: ChildProcess | undefined;
let backbone: Backbone | undefined;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchline main-'));
});
afterEach(async () => {
  parent?.kill('SIGKILL');
  await backbone?.stop();
  backbone = undefined;
  await untilTrue('no Java process is left', async () => (await javaProcesses()).length === 0);
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts the fixture. Returns the addresses that it prints. */
async function startMain(): Promise<{ brokers: string; registryUrl: string }> {
  const child = spawn(process.execPath, [MAIN, dataDir], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  parent = child;
  const printed = new Map<string, string>();
  for await (const line of createInterface({ input: child.stdout })) {
    const [name = '', value = ''] = line.split('=');
    printed.set(name, value);
    if (printed.size === 2) break;
  }
  return {
    brokers: printed.get('KAFKA_BROKERS') ?? '',
    registryUrl: printed.get('SCHEMA_REGISTRY_URL') ?? '',
  };
}

/** Returns the commands of Java processes that name the data folder. */
async function javaProcesses(): Promise<string[]> {
  const commands = process.platform === 'linux' ? await commandsInProc() : await commandsOfPs();
  return commands.filter((command) => command.includes('java') && command.includes(dataDir));
}

async function commandsInProc(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
}

async function commandsOfPs(): Promise<string[]> {
  return (await promisify(execFile)('ps', ['-A', '-o', 'command='])).stdout.split('\n');
}

/** Kills the broker and the registry of the data folder, and waits for both ends. */
async function killJava(): Promise<void> {
  const pids = await pidsOf('java');
  expect(pids).toHaveLength(2);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await untilTrue('both have ended', async () => (await pidsOf('java')).every((pid) => !pids.includes(pid)));
}

/** Returns the pids of the brokers of the data folder (Linux). */
const brokerPids = () => pidsOf('kafka.Kafka');

/** Returns the pids of the processes of the data folder whose command has a word (Linux). */
async function pidsOf(word: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return command.includes(word) && command.includes(dataDir) ? pid : [];
    }),
  );
  return found.flat();
}

/** Writes values in one transaction, which is committed or left open. */
async function write(
  client: Client,
  transactionalId: string,
  values: readonly string[],
  end: 'commit' | 'leave open',
): Promise<void> {
  const producer = client.producer({ transactionalId, maxInFlightRequests: 1, idempotent: true });
  await producer.connect();
  const transaction = await producer.transaction();
  await transaction.send({ topic: TOPIC, messages: values.map((value) => ({ value })) });
  if (end === 'commit') await transaction.commit();
  await producer.disconnect();
}

/** Reads at least `count` committed values after the group's offsets, and commits the new offsets. */
async function read(client: Client, groupId: string, count: number): Promise<string[]> {
  const consumer = client.consumer({ groupId, readUncommitted: false, maxWaitTimeInMs: 100 });
  const values: string[] = [];
  await consumer.connect();
  await consumer.subscribe({ topics: [TOPIC], fromBeginning: true });
  const eachMessage = async ({ message }: EachMessagePayload) => void values.push(String(message.value));
  await consumer.run({ eachMessage });
  await untilTrue(`${count} values are read`, () => values.length >= count);
  await consumer.disconnect(); // commits
  return values;
}

/** Expects that no other broker starts in the folder of the one that runs. */
async function expectNoSecond(): Promise<void> {
  const folder = join(dataDir, 'kafka');
  const message = `the data folder ${folder} is in use by process ${process.pid}: stop that one, or set DATA_DIR to another folder`;
  await expect(startKafka({ dataDir: folder })).rejects.toMatchObject({
    code: 'DATA_FOLDER_IN_USE',
    message,
  });
  const program = `
    const { startKafka } = await import(process.argv[1]);
    await startKafka({ dataDir: process.argv[2] }).catch((error) => console.log(error.message));
  `;
  const module = join(import.meta.dirname, '..', '..', '..', 'libs', 'embedded', 'kafka.ts');
  const args = ['--input-type=module', '--eval', program, module, folder];
  const other = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(other.stdout, 'data')) as [Buffer];
  expect(said.toString().trim()).toBe(message);
}

/** Returns the retention of a topic on the broker, milliseconds; -1 is unlimited. */
async function retentionOf(topic: string): Promise<string | undefined> {
  const { topics } = await describeCluster(backbone?.brokers ?? [], [topic]);
  return topics.get(topic)?.settings?.get('retention.ms');
}

/** Returns the schema of an id. */
async function schemaOf(registryUrl: string, id: number | undefined): Promise<unknown> {
  const found = await fetch(`${registryUrl}/schemas/ids/${id}`);
  return JSON.parse(((await found.json()) as { schema: string }).schema);
}

async function register(registryUrl: string, subject: string, schema: unknown): Promise<Response> {
  return await fetch(`${registryUrl}/subjects/${subject}/versions`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify({ schema: JSON.stringify(schema) }),
  });
}

// One test: each part starts where the one before it ended.
test('ends with its killed parent, and restores port, topics, offsets, transactions and schemas at the next start', async () => {
  const { brokers, registryUrl } = await startMain();
  await untilTrue('the broker answers', async () => (await readyClusterId([brokers])) !== null);
  // Many schemas, so that a registry that still reads its journal lacks the last one.
  const ids: number[] = [];
  for (const schema of SCHEMAS) {
    const registered = await register(registryUrl, `${schema.name}-value`, schema);
    expect(registered.status).toBe(200);
    ids.push(((await registered.json()) as { id: number }).id);
  }
  expect(await javaProcesses()).toHaveLength(2);
  const retry = { initialRetryTime: 50, retries: 20 };
  const client = new Client({ brokers: [brokers], logLevel: logLevel.NOTHING, retry });
  await makeTopics([brokers], [{ name: TOPIC, partitions: 1 }]);
  await write(client, 'first', ['a', 'b'], 'commit');
  await write(client, 'second', ['x'], 'leave open');
  expect(await read(client, GROUP, 2)).toEqual(['a', 'b']);

  parent?.kill('SIGKILL');
  await untilTrue('the parent is gone', () => parent?.signalCode === 'SIGKILL');
  // The new start must wait for the end of the old broker.
  backbone = await startBackbone({ dataDir, env, onProgress: () => {}, isShort: true });
  expect(backbone.kind).toBe('embedded');
  expect(backbone.why).toBe(
    `using an embedded broker with its data in ${dataDir}: KAFKA_BROKERS is not set and no Docker engine answers`,
  );
  expect(backbone.brokers).toEqual([brokers]);
  expect(await schemaOf(backbone.registryUrl, ids.at(-1))).toEqual(SCHEMAS.at(-1));
  expect(await retentionOf('kafkasql-journal')).toBe('-1');
  // The first two processes have ended.
  await untilTrue('two processes are left', async () => (await javaProcesses()).length === 2);
  const broker = (await javaProcesses()).find((command) => command.includes('kafka.Kafka'));
  expect(broker).toContain('-XX:TieredStopAtLevel=1');
  await write(client, 'second', ['c'], 'commit'); // the new producer ends the transaction that was left open
  expect(await read(client, GROUP, 1)).toEqual(['c']);
  expect(await read(client, 'others', 3)).toEqual(['a', 'b', 'c']);
  const admin = client.admin();
  await admin.connect();
  await expect(admin.fetchTopicMetadata({ topics: ['nobody-made-it'] })).rejects.toThrow();
  await admin.disconnect();
  await expectNoSecond();

  await backbone.stop();
  backbone = undefined;
  expect(await javaProcesses()).toEqual([]);
});

// Each starts more brokers. In every run libs/embedded/guarded.test.ts ends commands whose parents end, and server.test.ts says how
// a server ended while it started.
describe.each(IN_FULL)('%s', () => {
  test('starts a killed broker and a killed registry again, with what they had', async () => {
    const problems: string[] = [];
    const onProblem = (line: string) => void problems.push(line);
    backbone = await startBackbone({ dataDir, env, onProgress: () => {}, onProblem, isShort: true });
    const { registryUrl } = backbone;
    const registered = await register(registryUrl, 'facts-value', SCHEMAS[0]);
    const { id } = (await registered.json()) as { id: number };
    await killJava();
    for (const name of ['broker', 'schema registry']) {
      const report = `${name} was ended by SIGKILL; starting it again in 0.5 s`;
      await untilTrue(`the end of the ${name} is reported`, () => problems.includes(report));
      await untilTrue(`the ${name} runs again`, () => problems.includes(`${name} runs again`));
    }
    expect(await schemaOf(registryUrl, id)).toEqual(SCHEMAS[0]);
  });

  test('leaves no process behind when it is stopped while it starts', async () => {
    const child = spawn(process.execPath, [MAIN, dataDir], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    parent = child;
    await untilTrue('a Java process runs', async () => (await javaProcesses()).length > 0);
    child.kill('SIGINT');
    await untilTrue('it has ended', () => child.signalCode === 'SIGINT');
    await untilTrue('no Java process is left', async () => (await javaProcesses()).length === 0);
  });

  test('waits for the end of a broker whose starter was killed while it started', async () => {
    const child = spawn(process.execPath, [MAIN, dataDir], { env, stdio: 'ignore' });
    parent = child;
    // With this file the broker holds the folder, but is not ready yet.
    const lock = join(dataDir, 'kafka', 'data', '.lock');
    await untilTrue('a broker has the folder', () => existsSync(lock));
    const [pid = expect.fail('no broker')] = await brokerPids();
    // The stopped broker ends only by SIGKILL, some seconds after its parent.
    process.kill(pid, 'SIGSTOP');
    child.kill('SIGKILL');
    backbone = await startBackbone({ dataDir, env, onProgress: () => {}, isShort: true });
    expect(backbone.kind).toBe('embedded');
  });

  test('refuses data of a newer broker, and names the remedy', async () => {
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

  test('reports why a broker cannot start, and stops the registry that started with it', async () => {
    const data = join(dataDir, 'kafka', 'data');
    await mkdir(data, { recursive: true });
    await writeFile(join(data, 'meta.properties'), 'version=1\ncluster.id=others\nnode.id=99\n');
    const starting = startBackbone({ dataDir, env, onProgress: () => {} });
    await expect(starting).rejects.toMatchObject({
      code: 'START_FAILED',
      message: expect.stringMatching(
        /the Kafka broker ended with exit code 1 while it started:[\s\S]*node id 99/,
      ),
    });
    expect(await javaProcesses()).toEqual([]);
  });
});

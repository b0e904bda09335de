import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '#embedded/ports.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { TOPICS, topicName } from '#topics/topics.ts';
import { readExample } from '../../services/api/docs/reference.ts';
import { differences } from '../../services/api/docs/testing/fields.ts';
import { backbone } from '../setup/backbone.ts';
import { bareEnvironment, placeEnv } from '../support/environment.ts';
import { listeningAddresses } from '../support/listening.ts';
import { quietLog } from '../support/log.ts';
import { deliverSigned } from '../support/signed-delivery.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeTopics } from '../support/topics.ts';
import { collectExamples, demonstrationIn } from './reference/collect.ts';

const ROOT = join(import.meta.dirname, '../..');
const SECRET = 'a-secret-of-thirty-two-characters';
const USUAL_API_PORT = 8081;

type Listed = { readonly api: { readonly method: { readonly total_items: number } } };
type Granted = { readonly api: { readonly data: { readonly token: string } } };

type Run = {
  readonly child: ChildProcess;
  /** What it printed so far. */
  text(): string;
  /** Waits until it printed something. */
  says(text: string | RegExp): Promise<RegExpMatchArray>;
  /** Waits for its end: the exit code. */
  end(): Promise<number | null>;
};

type Env = Readonly<Record<string, string>>;

/** Processes of `touchline up`: receiver, monitor, both processors, api, composer and dispatcher of webhooks, tool gateway. */
const SERVED = 8;

/** Runs the command line on the shared broker, under a prefix of its own. */
function touchline(args: readonly string[], env: Env): Run {
  const child = spawn(process.execPath, ['bin/touchline.js', ...args], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...bareEnvironment(),
      HOME: process.env.HOME,
      TOUCHLINE_PARENT_PIPE: '1',
      WEBHOOK_SECRET: SECRET.slice(0, 32),
      ...placeEnv(backbone()),
      ...env,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      printed += part;
    });
  }
  const ended = once(child, 'close');
  return {
    child,
    text: () => printed,
    async says(text) {
      for (;;) {
        const found = printed.match(text);
        if (found !== null) return found;
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode} and said:\n${printed}`);
        await delay(50);
      }
    },
    async end() {
      await ended;
      return child.exitCode;
    },
  };
}

/** The processes whose standard input is a pipe from that one. */
function services(pid: number | undefined): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

function runs(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

describe('touchline demo', () => {
  const short = {
    MATCHES: '5',
    DURATION: '4',
    FAULTS: 'many',
    WEBHOOK_PORT: '0',
    API_PORT: '0',
    TOOLS_PORT: '0',
  };

  test('plays real matches, checks them, says how to read on, and ends with 0', async () => {
    const env = { ...short, DATA_DIR: temporaryFolder(), TOPIC_PREFIX: backbone().prefix };
    const run = touchline(['demo'], env);
    expect([await run.end(), run.text()]).toEqual([
      0,
      expect.stringContaining('✓ all 5 final scores are the official ones'),
    ]);
    expect(run.text()).not.toContain('✗');
    expect(run.text()).toContain('✓ an access token was issued for its first client');
    expect(run.text()).toContain('✓ a tool of /mcp returns the final score of the last match to it');
    expect(run.text()).toMatch(/messages +[\d,]+, in [\d,]+ deliveries/);
    expect(run.text()).toMatch(/goals disallowed +[1-9]\d*: /);
    expect(run.text()).toContain('npx touchline tail match-state --from-beginning --exit-at-end');
  });

  test('plays under a prefix of its own where there are messages, leaves everything running with --keep, and ends it on Ctrl-C', async () => {
    const dataDir = temporaryFolder();
    const env = { ...short, MATCHES: '2', DURATION: '2', AFTERWARDS: 'nothing', DATA_DIR: dataDir };
    const prefix = await usedPrefix();
    const run = touchline(['demo', '--keep'], { ...env, TOPIC_PREFIX: prefix });
    await run.says('Everything goes on until Ctrl-C');
    await run.says(/secret_key=\w+"/);
    expect(run.text()).toContain('✓ all 2 final scores');
    await run.says(
      new RegExp(`the topics are ${prefix}demo-\\d{14}\\.\\*: those of ${prefix}\\* have records`),
    );
    await hasFieldsOfExamples(run.text());
    const children = services(run.child.pid);
    expect(children.length).toBeGreaterThanOrEqual(SERVED);
    const tail = touchline(['tail', 'match-state', '--from-beginning', '--exit-at-end', '--json'], {
      DATA_DIR: dataDir,
      KAFKA_BROKERS: '',
      SCHEMA_REGISTRY_URL: '',
      TOPIC_PREFIX: '',
    });
    expect(await tail.end()).toBe(0);
    const states = tail
      .text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(states.findLast(({ event_id }) => event_id === 310_001)?.score).toEqual({ home: 5, away: 0 });
    run.child.kill('SIGINT');
    expect(await run.end()).toBe(0);
    expect(children.some(runs)).toBe(false);
    expect(existsSync(join(dataDir, 'backbone.json'))).toBe(false);
  });

  test('goes on with a league to watch with --keep, says which port moved, and takes all with it when it is killed', async () => {
    const taken = createServer().listen(USUAL_API_PORT, '127.0.0.1');
    // In use either way.
    taken.on('error', () => {});
    onTestFinished(() => void taken.close());
    const { API_PORT: _, ...onePortUsual } = short;
    const env = { ...onePortUsual, MATCHES: '1', DURATION: '1', DATA_DIR: temporaryFolder(), SPEED: '100' };
    const run = touchline(['demo', '--keep'], env);
    await run.says(`port ${USUAL_API_PORT} is in use: API_PORT is another one`);
    await run.says('Premier League 2017/18 is played now, 100 times as fast as life: 380 matches');
    const { url, clientId, secretKey } = demonstrationIn(run.text()) ?? expect.fail(run.text());
    const credentials = new URLSearchParams({ client_id: clientId, secret_key: secretKey });
    const granted = (await (await fetch(`${url}/v2/oauth?${credentials}`)).json()) as Granted;
    const live = async (): Promise<number> => {
      const answer = await fetch(`${url}/v2/livescore?status_type=live&token=${granted.api.data.token}`);
      return ((await answer.json()) as Listed).api.method.total_items;
    };
    // A round of ten, each a minute of its clock after the other.
    await expect.poll(live, { timeout: 60_000 }).toBe(10);
    const children = services(run.child.pid);
    expect(children.filter(runs).length).toBeGreaterThanOrEqual(SERVED);
    run.child.kill('SIGKILL');
    await expect.poll(() => children.filter(runs), { timeout: 120_000 }).toEqual([]);
  });
});

/** A prefix under which a delivery was received before. */
async function usedPrefix(): Promise<string> {
  const { brokers, prefix } = backbone();
  const topic = topicName(prefix, 'raw-messages');
  await makeTopics(brokers, [{ topic, numPartitions: TOPICS['raw-messages'].partitions }]);
  const publisher = await openPublisher({ brokers, clientId: 'test', log: quietLog });
  await publisher.publish([{ topic, key: 'before', value: Buffer.from('a delivery') }]);
  await publisher.close();
  return prefix;
}

/** Every operation answers with the fields and types of its example in the reference; else run `npm run examples`. */
async function hasFieldsOfExamples(printed: string): Promise<void> {
  const demonstration = demonstrationIn(printed) ?? expect.fail(printed);
  // The last polls may still be on their way.
  const found = async (): Promise<string[]> =>
    [...(await collectExamples(demonstration))].flatMap(([name, { fields }]) =>
      differences(readExample(name).fields, fields).map((difference) => `${name} ${difference}`),
    );
  await expect.poll(found, { timeout: 60_000, interval: 1_000 }).toEqual([]);
}

describe('touchline up', () => {
  test('starts every service, as many processes of one as it is asked for, starts each again that dies, and stops on SIGTERM', async () => {
    const port = await freePort();
    const dataDir = temporaryFolder();
    const mark = join(dataDir, 'demo.lock');
    writeFileSync(mark, '');
    const run = touchline(['up', '--replicas', 'match-processor=3'], {
      DATA_DIR: dataDir,
      WEBHOOK_PORT: String(port),
      API_PORT: '0',
      TOOLS_PORT: '0',
      WEBHOOK_SECRET: '',
    });
    await run.says('creating topics');
    expect(existsSync(mark), 'a demonstration would replace its data').toBe(false);
    const [, secret = ''] = await run.says(/Secret +(\S{32}) /);
    await run.says('Ctrl-C stops everything');
    const kept = join(dataDir, 'webhook-secret');
    expect([readFileSync(kept, 'utf8').trim(), statSync(kept).mode & 0o777]).toEqual([secret, 0o600]);
    expect(await post(port, [], secret)).toBe('200 Accepted');
    const before = services(run.child.pid);
    expect(before).toHaveLength(SERVED + 2);
    for (const label of ['match-processor', 'match-processor-2', 'match-processor-3'])
      expect(readFileSync(join(dataDir, 'logs', `${label}.log`), 'utf8')).toContain('metrics and health');
    const addresses = before.map((pid) => new Set(listeningAddresses(pid)));
    expect(addresses).toEqual(before.map(() => new Set(['127.0.0.1'])));
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await run.says(/! match-processor was ended by SIGKILL; starting it again/);
    await run.says(/! webhook-receiver was ended by SIGKILL; starting it again/);
    await expect
      .poll(() => post(port, [], secret).catch(() => 'no answer'), { timeout: 120_000 })
      .toBe('200 Accepted');
    run.child.kill('SIGTERM');
    expect(await run.end()).toBe(0);
    expect(run.text()).toContain('Stopping (SIGTERM)');
    expect(services(process.pid).filter((pid) => before.includes(pid))).toEqual([]);
  });

  test('says it in a line when the port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const run = touchline(['up'], { DATA_DIR: temporaryFolder(), WEBHOOK_PORT: String(port) });
    expect([await run.end(), run.text()]).toEqual([
      1,
      `touchline up: port ${port} is in use: set WEBHOOK_PORT to another one\n`,
    ]);
  });
});

async function post(
  port: number,
  messages: readonly unknown[],
  secret = SECRET.slice(0, 32),
): Promise<string> {
  const response = await deliverSigned(`http://127.0.0.1:${port}/webhook`, messages, { secret });
  return `${response.status} ${await response.text()}`;
}

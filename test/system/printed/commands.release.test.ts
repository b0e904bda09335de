/**
 * Runs the commands that messages and pages print, as processes, each in the state of a platform in which it is printed
 * (page-commands.ts has those of pages): a `touchline up` that starts, runs, fails to deliver webhooks, has a dead letter and a record that
 * nobody can read; topics without processors; no topics; no broker.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withPublisher } from '#streams/publish/publisher.ts';
import { topicName } from '#topics/topics.ts';
import { commandsIn } from '../../../cli/testing/printed-commands.ts';
import { backbone } from '../../setup/backbone.ts';

import { CLIENTS_KEY, connectionEnv } from '../../support/environment.ts';
import { quietLog } from '../../support/log.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { runBlock } from '../../support/runbook.ts';
import { deliverSigned } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchline as startTouchline, type TouchlineRun } from '../../support/touchline.ts';
import { services, touchline } from '../demo/platform.ts';
import { PAGE_COMMANDS } from './page-commands.ts';
import { runPrinted, runs, type ShellEnv } from './shell.ts';

const PARTITIONS = 2;
const RULES = join(import.meta.dirname, '../../../deploy/prometheus/rules/touchline.yml');
/** Where nothing listens. */
const NO_RECEIVER = 'https://127.0.0.1:1/hook';

/** Runs the commands of the pages in a state, in the order of the table. `values` are what a reader fills in. */
async function runPages(
  state: keyof typeof PAGE_COMMANDS,
  env: ShellEnv,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  for (const command of PAGE_COMMANDS[state]) await runs(filled(command, values), env);
}

function filled(command: string, values: Readonly<Record<string, string>>): string {
  const words = command.replaceAll(
    /<[\w ]+>|"\$\w+"|\bmy-rules\b/g,
    (part) => values[part] ?? expect.fail(`${command}: ${part}`),
  );
  // A client of its own: the other one exists.
  return words.replace(/^clients add --id \d+$/, 'clients add --id 77');
}

/** Runs every command of `output` that begins with `start`; there is one. */
async function runsPrintedIn(output: string, start: string, env: ShellEnv): Promise<string[]> {
  const commands = commandsIn(output).filter((command) => command.startsWith(start));
  expect(commands, output).not.toEqual([]);
  for (const command of commands) await runs(command, env);
  return commands;
}

test('commands find a platform that starts, and those that it and the pages print work on it', async () => {
  const { brokers, prefix, registryUrl } = backbone();
  const DATA_DIR = temporaryFolder();
  // Commands find the platform by its folder alone.
  const env = { DATA_DIR };
  const platform = touchline(['up'], {
    ...connectionEnv({ brokers, registryUrl, prefix }),
    DATA_DIR,
    TOPIC_PARTITIONS: String(PARTITIONS),
    WEBHOOK_SECRET: '',
    WEBHOOK_PORT: '0',
    API_PORT: '0',
    TOOLS_PORT: '0',
    DISPATCHER_PORT: '0',
    WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
    WEBHOOK_RETRY_SECONDS: '1',
  });
  const held = await until('the receiver is started', () =>
    services(platform.child.pid).find((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('webhook-receiver'),
    ),
  );
  process.kill(held, 'SIGSTOP');
  await runPages('starting', env, { '<processor>': 'match-processor' });
  expect(platform.text()).not.toContain('Touchline is up');
  process.kill(held, 'SIGCONT');
  const [, webhookUrl = ''] = await platform.says(/Webhook +POST (\S+)/);
  await platform.says('Ctrl-C stops everything');

  const added = await runs('clients add --name printed', env);
  const client = /client_id (\d+)/.exec(added)?.[1] ?? '';
  const hooked = await runs(`clients webhook add ${client} --url ${NO_RECEIVER}`, env);
  const webhook = /webhook (\w+) of client/.exec(hooked)?.[1] ?? '';
  await runsWhatUpPrints(platform.text(), env);

  const secret = readFileSync(join(DATA_DIR, 'webhook-secret'), 'utf8').trim();
  const poisoned = [{ id: 'poisoned', type: 'incident', ut: 1, data: { incident: {} } }];
  expect((await deliverSigned(webhookUrl, poisoned, { secret })).status).toBe(200);
  await until('the dead letter is listed', async () => {
    const found = await runs('doctor', env);
    return found.includes('dead-letters list') ? runsPrintedIn(found, 'dead-letters list', env) : undefined;
  });
  const listed = await runs('dead-letters list --json', env);
  const letter = JSON.parse(listed.split('\n')[0] ?? '{}');

  await failingWebhook({ env, client, webhook });
  const proposed = await runs(`clients webhook rotate-secret ${client} ${webhook}`, env);
  await runsPrintedIn(proposed, `clients webhook rotate-secret ${client} ${webhook} --finish`, env);
  const refused = await runPrinted('tokens revoke nonsense', env);
  expect(refused.code).toBe(2);
  await runsPrintedIn(refused.err, 'tokens list', env);

  const topic = topicName(prefix, 'catalogue');
  const record = { topic, key: 'nobody', value: Buffer.from([9, 9, 9]) };
  await withPublisher({ brokers, clientId: 'test', log: quietLog }, (publisher) =>
    publisher.publish([record]),
  );
  const annotation = commandsIn(readFileSync(RULES, 'utf8'));
  expect(annotation).toEqual(['doctor']);
  expect(await runs(annotation[0] ?? '', env)).toMatch(new RegExp(`nobody can read ${topic}-0, offset \\d+`));

  await runPages('running', env, {
    '<processor>': 'match-processor',
    '<service>': 'match-processor',
    '<event id>': '310001',
    '<prefix>': prefix,
    '<dead letter>': letter.id,
    '<client id>': client,
    '"$CLIENT"': client,
    '<webhook id>': webhook,
    '<https address>': NO_RECEIVER,
    'my-rules': 'data/rules',
  });
  platform.child.kill('SIGTERM');
  expect(await platform.end()).toBe(0);
});

/** Runs the block of commands that `up` prints when it is ready, line by line: the simulator, and a tail. */
async function runsWhatUpPrints(text: string, env: ShellEnv): Promise<void> {
  const lines = /From another terminal\n([\s\S]*?)\nCtrl-C/.exec(text)?.[1]?.split('\n') ?? [];
  const commands = lines.filter((line) => line.startsWith('  ')).map((line) => line.trim());
  expect(commands).toHaveLength(3);
  const [enter = '', send = '', read = ''] = commands;
  const played = { ...env, MATCHES: '2', SPEED: 'max', KEEP_ALIVE_EVERY: '0', CLOCK_EVERY: '600' };
  const sent = await runBlock(`${enter}\n${send}`, played);
  expect(sent.code, sent.err).toBe(0);
  const shown = await runBlock(`${enter}\n${read.replace('npx', 'timeout -s INT 15 npx')}`, {});
  expect(shown.out, shown.err).toContain('310001');
  await runsPrintedIn(text, 'clients webhook --help', env);
  await runsPrintedIn(text, 'webhooks list', env);
  await runsPrintedIn(text, 'clients add', env);
}

/** Runs what doctor and the pages print while a webhook fails, and while it is disabled. */
async function failingWebhook({
  env,
  client,
  webhook,
}: {
  readonly env: ShellEnv;
  readonly client: string;
  readonly webhook: string;
}): Promise<void> {
  const found = await until('doctor says that the webhook fails', async () => {
    const out = await runs('doctor', env);
    return out.includes(`${webhook} of client ${client} fails`) ? out : undefined;
  });
  await runsPrintedIn(found, 'webhooks list', env);
  const undelivered = await runs(`webhooks undelivered ${webhook} --json`, env);
  const uuid = /"uuid": ?"([^"]+)"/.exec(undelivered)?.[1] ?? expect.fail(undelivered);
  await runPages('failing webhook', env, { '<webhook id>': webhook, '<uuid>': uuid });
  await runs(`webhooks disable ${webhook}`, env);
  const disabled = await until('doctor says that the webhook is disabled', async () => {
    const out = await runs('doctor', env);
    return out.includes('is disabled (operator)') ? out : undefined;
  });
  await runsPrintedIn(disabled, `webhooks enable ${webhook}`, env);
  await untilTrue(
    'the webhook is enabled',
    async () => !(await runs('doctor', env)).includes('is disabled (operator)'),
  );
}

test('what services and doctor print without topics creates them', async () => {
  const env = connectionEnv(backbone());
  const all = { ...env, TOPIC_PARTITIONS: String(PARTITIONS), METRICS_PORT: '0' };
  const started = await runPrinted('match-processor', all);
  expect(started.code).toBe(1);
  expect(commandsIn(started.err)).toEqual(expect.arrayContaining(['topics', 'topics --print']));
  await runs('topics --print', all);
  expect(commandsIn(await runs('doctor', all))).toContain('topics');
  expect(await runs('topics', all)).toContain('made ');
  expect(await runs('doctor', all)).not.toMatch(/failed +(?:topics|schemas)/);

  const wrong = { ...all, CLIENTS_KEY: 'short' };
  await runsPrintedIn(await runs('doctor api', wrong), 'api --help', wrong);
});

// For a lost topic: test/integration/cli/lost-topics.release.test.ts.
test('what doctor prints for processors that do not run starts them', async () => {
  const { brokers, prefix, registryUrl } = backbone();
  const env = {
    ...connectionEnv({ brokers, registryUrl, prefix }),
    TOPIC_PARTITIONS: String(PARTITIONS),
    METRICS_PORT: '0',
    DATA_DIR: temporaryFolder(),
    CLIENTS_KEY,
    DISPATCHER_PORT: '0',
    WEBHOOK_PORT: '0',
    WEBHOOK_SECRET: 'a-secret-of-thirty-two-character',
  };
  await runs('topics', env);
  const doctor = await runs('doctor', env);
  const start = doctor.split('\n').filter((line) => line.includes('start it: npx touchline'));
  const commands = start.flatMap(commandsIn);
  expect(commands).toEqual(expect.arrayContaining(['match-processor', 'standings-processor']));
  const running: TouchlineRun[] = [];
  for (const command of new Set([...commands, ...PAGE_COMMANDS['stopped processors']]))
    running.push(startTouchline(command.split(' '), env));
  await untilTrue(
    'doctor names none to start',
    async () => !(await runs('doctor', env)).includes('start it: '),
  );
  for (const one of running) one.child.kill('SIGTERM');
  for (const one of running) expect([0, 'SIGTERM'], one.err).toContain(await one.ended);
});

test('commands of the runbooks say shortly that no broker answers', async () => {
  const env = { KAFKA_BROKERS: '127.0.0.1:1', SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1' };
  for (const command of PAGE_COMMANDS['no broker']) {
    const { code, out, err } = await runPrinted(command, env);
    expect(code, command).toBe(1);
    const said = command === 'doctor' ? out : err;
    expect(said, command).toContain('127.0.0.1:1');
    // A warning, and the error.
    if (command !== 'doctor') expect(err.trim().split('\n').length).toBeLessThanOrEqual(2);
  }
});

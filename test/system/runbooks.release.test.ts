/** Follows docs/guides/runbooks: runs the commands of the pages in order on one system. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Kafka, startKafka } from '#embedded/kafka.ts';
import type { SchemaRegistry } from '#embedded/registry.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { deleteTopics } from '#topics/admin.ts';
import { PROCESSOR_NAMES, positionsTopicName } from '#topics/processors.ts';
import { TOPIC_NAMES, topicName } from '#topics/topics.ts';
import { type ApiReplica, received, startApi } from '../support/api.ts';
import { atEnd } from '../support/at-end.ts';
import { CLIENTS_KEY, connectionEnv } from '../support/environment.ts';
import { expectSame } from '../support/harness.ts';
import { startOwnRegistry } from '../support/own-kafka.ts';
import { Pipeline, type PipelineConnection, type PipelineOutput } from '../support/pipeline.ts';
import { untilTrue } from '../support/poll.ts';
import type { TestService } from '../support/processes.ts';
import { isBehindNothing, RunbookPages } from '../support/runbook.ts';
import { rulesFolder } from '../support/standings/rules-folder.ts';
import { TablesPipeline } from '../support/standings/tables-pipeline.ts';
import { deliverSigned, playAtOnce, startReceiver } from '../support/system.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { touchlineHere } from '../support/touchline-here.ts';

const SEASON = 31_018;
const COMPETITION = '3100';
const PARTITIONS = 2;

const pages = new RunbookPages(['registry-lost']);
let folder: string;
let kafka: Kafka;
let registry: SchemaRegistry;
let connection: PipelineConnection;
let tables: TablesPipeline;
let services: TestService[];
let receiverUrl: string;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = temporaryFolder();
  kafka = await startKafka({ dataDir: join(folder, 'kafka'), jvmArgs: QUICK_START });
  atEnd(() => kafka.stop());
  registry = await startOwnRegistry(kafka.brokers, join(folder, 'registry'));
  connection = {
    brokers: kafka.brokers,
    registryUrl: registry.url,
    prefix: 'touchline.',
    partitions: PARTITIONS,
  };
  env = {
    ...connectionEnv(connection),
    TOPIC_PARTITIONS: String(PARTITIONS),
    RULES_DIR: rulesFolder({}),
    DATA_DIR: join(folder, 'data'),
    KAFKA_DATA: join(folder, 'kafka/data'),
    BACKUP: join(folder, 'backup'),
    CLIENTS_KEY,
  };
  await here('topics');
  tables = await TablesPipeline.create(connection);
  await startServices({ hasTables: true });
  await playAtOnce({ WEBHOOK_URL: receiverUrl, MATCHES: '3' });
  await tables.settled();
});

/** Runs a command that is in no page. */
async function here(...args: string[]): Promise<string> {
  const { code, out, err } = await touchlineHere(args, env);
  expect(code, err).toBe(0);
  return out;
}

/** Starts only the services that a test needs, because each takes seconds on a busy machine. */
async function startServices({ hasTables }: { readonly hasTables: boolean }): Promise<void> {
  const rules = { RULES_DIR: env.RULES_DIR ?? '' };
  const processors = [tables.pipeline.startProcessor(), ...(hasTables ? [tables.startTables(rules)] : [])];
  const [receiver] = await Promise.all([
    startReceiver(connection, env),
    ...processors.map((service) => service.ready()),
  ]);
  services = [receiver.service, ...processors];
  receiverUrl = receiver.url;
}

async function stopServices(): Promise<void> {
  await Promise.all(services.map((service) => service.stop()));
}

async function deliver(...messages: readonly object[]): Promise<void> {
  expect(await (await deliverSigned(receiverUrl, messages)).text()).toBe('Accepted');
}

/** After all played matches, and in the past: a time ahead of the receipt is not believed. */
const AFTER_ALL = 1_700_000_000;
let sent = 0;

/** Returns a change of a played match, in a field that identifies the change. */
function change(eventId: number): object {
  sent += 1;
  const event = { id: eventId, bet_status: `change ${sent}` };
  return { id: `change-${sent}`, type: 'event', ut: AFTER_ALL + sent, data: { event } };
}

/** Returns the states of all matches without fields that depend on the order in the log. */
function statesOf({ states }: PipelineOutput): Record<number, object> {
  return Object.fromEntries([...states].map(([id, { version: _, cause: __, ...rest }]) => [id, rest]));
}

function firstEvent({ states }: PipelineOutput): number {
  const [id] = states.keys();
  if (id === undefined) throw new Error('nothing was played');
  return id;
}

/** Expects that a match processor continues from a replay's topics under a prefix. */
async function expectToContinue(prefix: string, partitions: number): Promise<void> {
  const target = await Pipeline.create({ ...connection, prefix, partitions });
  const before = await target.output();
  const id = firstEvent(before);
  const processor = target.startProcessor();
  await target.feed(received(change(id)));
  await target.settled();
  const after = await target.output();
  expect(after.states.get(id)?.version).toBe((before.states.get(id)?.version ?? 0) + 1);
  expect(after.states.size).toBe(before.states.size);
  await processor.stop();
}

test('poisoned-message', async () => {
  const runbook = pages.page('poisoned-message');
  const id = firstEvent(await tables.pipeline.output());
  await deliver(change(id), { id: 'poisoned', type: 'incident', ut: 1, data: { incident: {} } }, change(id));
  await tables.settled();
  const { out } = await runbook.next(env);
  const [line = ''] = out.split('\n').filter((text) => text.includes('unknown_shape'));
  const ID = line.split(' ')[0] ?? '';
  expect(await runbook.succeeds({ ...env, ID })).toContain('"poisoned"');
  expect(await runbook.next({ ...env, ID })).toMatchObject({
    code: 1,
    out: expect.stringContaining('not done, 0 messages sent: unknown_shape'),
  });
});

test('provider-format-change', async () => {
  const runbook = pages.page('provider-format-change');
  const listed = JSON.parse((await here('dead-letters', 'list', '--json')).split('\n')[0] ?? '');
  expect(await runbook.succeeds({ ...env, ID: listed.id })).toMatch(/^ *1 webhook-receiver unknown_shape\n/);
  // On the same release the letter cannot be read yet, and stays.
  expect((await runbook.next(env)).code).toBe(1);
  expect(await runbook.succeeds(env)).toContain('the same (level state)');
});

test('rule-change', async () => {
  const runbook = pages.page('rule-change');
  const file = join(env.RULES_DIR ?? '', 'world-cup-2018.json');
  const rules = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...rules, points: { won: 5, draw: 1, lost: 0 } }));
  const given = { ...env, RULES: env.RULES_DIR ?? '' };
  await runbook.succeeds(given);
  const compared = await runbook.next(given);
  expect(compared).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^standings: \d+ of \d+ keys differ: /m),
  });
  expect(compared.out).not.toMatch(/^match-.* differ: /m);
  await stopServices();
  await runbook.succeeds(given);
  await startServices({ hasTables: true });
  await tables.settled();
  const same = await touchlineHere(['compare', 'touchline.', 'tried.'], env);
  expect(same.code, same.out).toBe(0);
});

test('replay-and-switch', async () => {
  const runbook = pages.page('replay-and-switch');
  await services[0]?.stop();
  const behind = await runbook.succeeds(env);
  expect(isBehindNothing(behind), behind).toBe(true);
  for (const words of ['records of normalized-messages replayed into next.', 'the same (level log)'])
    expect(await runbook.succeeds(env)).toContain(words);
  await stopServices();
  await runbook.succeeds(env);
});

test('more-partitions', async () => {
  const runbook = pages.page('more-partitions');
  expect(await runbook.succeeds(env)).toContain('the same (level log)');
  expect(await runbook.succeeds(env)).not.toContain('made ');
  await expectToContinue('wider.', 12);
});

test('add-a-competition, rotate-secrets', async () => {
  const contracts = pages.page('add-a-competition');
  const added = await here('clients', 'add', '--name', 'reader', '--competitions', '1');
  const CLIENT = /client_id (\d+)/.exec(added)?.[1] ?? '';
  const data = env.DATA_DIR ?? '';
  const seasonOf = async (api: ApiReplica, token: string) =>
    JSON.stringify(await api.api(`/v2/events?season_id=${SEASON}&token=${token}`, 200).catch(() => ''));
  const first = await startApi(connection, data);
  const token = await first.token(added);
  const id = firstEvent(await tables.pipeline.output());
  expect(await seasonOf(first, token)).not.toContain(`"id":${id},`);
  const matches = await contracts.next({ ...env, ID: COMPETITION });
  expect(Number(matches.out), matches.err).toBeGreaterThanOrEqual(3);
  const widened = await contracts.succeeds({ ...env, CLIENT, ALL_IDS: `1,${COMPETITION}` });
  expect(widened).toContain(`competitions: 1, ${COMPETITION}`);
  await untilTrue('the client sees the season', async () =>
    (await seasonOf(first, token)).includes(`"id":${id},`),
  );
  await first.service.stop();

  const secrets = pages.page('rotate-secrets');
  const url = 'https://customer.example/hook';
  const hooked = await here('clients', 'webhook', 'add', CLIENT, '--url', url);
  const WEBHOOK = /webhook (\w+) of client/.exec(hooked)?.[1] ?? '';
  const keys = {
    CLIENTS_KEY: 'the next key of the deployment, long enough',
    CLIENTS_KEY_SECOND: CLIENTS_KEY,
  };
  const second = await startApi(connection, data, keys);
  expect(await seasonOf(second, token)).toContain(`"id":${id},`);
  const both = { ...env, ...keys };
  expect(await secrets.succeeds(both)).toBe('1 webhooks were sealed again\n');
  expect(await secrets.again(both)).toMatchObject({ code: 0, out: '0 webhooks were sealed again\n' });
  const last = { ...env, CLIENTS_KEY: keys.CLIENTS_KEY };
  await second.token(await secrets.succeeds({ ...last, CLIENT }));
  await second.service.stop();
  const proposed = await secrets.next({ ...last, CLIENT, WEBHOOK });
  expect(proposed.out, proposed.err).toMatch(/^next signing secret \w{32}\n/);
  const replaced = await secrets.next({ ...last, CLIENT, WEBHOOK });
  expect(replaced.out, replaced.err).toContain(`webhook ${WEBHOOK} is signed with the next secret`);
  // The webhook is sealed with the next key from here on.
  env = last;
});

test('restore-all-brokers, from folders and from some topics', async () => {
  const runbook = pages.page('restore-all-brokers');
  const saved = await tables.pipeline.output();
  const id = firstEvent(saved);
  await kafka.kill('SIGTERM');
  await runbook.succeeds(env);
  await kafka.start();
  const [late, later] = [change(id), change(id)];
  await startServices({ hasTables: false });
  await deliver(late, later);
  await tables.pipeline.settled();
  const lost = await tables.pipeline.output();
  await stopServices();

  await registry.kill('SIGTERM');
  await kafka.kill('SIGTERM');
  await runbook.succeeds(env);
  expect(existsSync(join(env.DATA_DIR ?? '', 'api'))).toBe(true);
  await runbook.succeeds(env);
  expect(existsSync(join(env.DATA_DIR ?? '', 'api'))).toBe(false);
  await kafka.start();
  await registry.start();
  await runbook.succeeds(env);
  expectSame(await tables.pipeline.output(), saved);
  await startServices({ hasTables: false });
  await deliver(late, later);
  await tables.pipeline.settled();
  const restored = await tables.pipeline.output();
  expect(statesOf(restored)).toEqual(statesOf(lost));
  expect(restored.transitions.length).toBe(lost.transitions.length);
  await stopServices();

  const kept = new Set<string>([
    'raw-messages',
    'catalogue',
    'clients',
    'access-tokens',
    'poller-checkpoints',
  ]);
  await deleteTopics(connection.brokers, [
    ...TOPIC_NAMES.filter((topic) => !kept.has(topic)).map((topic) => topicName(connection.prefix, topic)),
    ...PROCESSOR_NAMES.map((processor) => positionsTopicName(connection.prefix, processor)),
  ]);
  for (const words of ['made ', 'records of raw-messages replayed into restored.', 'ok'])
    expect(await runbook.succeeds(env)).toContain(words);
  const again = await Pipeline.create({ ...connection, prefix: 'restored.' });
  expect(statesOf(await again.output())).toEqual(statesOf(restored));
  await expectToContinue('restored.', PARTITIONS);
  const { out } = await touchlineHere(['clients', 'list'], { ...env, TOPIC_PREFIX: 'restored.' });
  expect(out).toContain('reader');
});

test('runs all commands of the pages', () => {
  expect(pages.left).toEqual([]);
});

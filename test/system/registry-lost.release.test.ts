/** Follows docs/guides/runbooks/registry-lost.md on a broker and a registry of its own: the schemas are wiped, noticed and restored. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deleteTopics } from '#topics/admin.ts';
import { withAdmin } from '../support/admin.ts';
import { ANY_PORTS, CLIENTS_KEY } from '../support/environment.ts';
import { startOwnKafka, startOwnRegistry } from '../support/own-kafka.ts';
import { untilTrue } from '../support/poll.ts';
import { readRecords } from '../support/read-records.ts';
import { RunbookPages } from '../support/runbook.ts';
import { deliverSigned, playAtOnce, WEBHOOK_SECRET } from '../support/system.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type TouchlineRun, touchline, written } from '../support/touchline.ts';

const MATCH = '310001';
const UP = 'Ctrl-C stops everything';
const PAGE = 'docs/guides/runbooks/registry-lost.md';

test('says in a few lines that the registry lost its schemas, writes over nothing, and reads everything once they are back', async () => {
  const folder = temporaryFolder();
  const { brokers } = await startOwnKafka();
  const registry = await startOwnRegistry(brokers, join(folder, 'registry'));
  const env = {
    KAFKA_BROKERS: brokers.join(','),
    SCHEMA_REGISTRY_URL: registry.url,
    TOPIC_PARTITIONS: '2',
    DATA_DIR: join(folder, 'data'),
    SCHEMAS: join(folder, 'schemas.zip'),
    CLIENTS_KEY,
    WEBHOOK_SECRET,
    ...ANY_PORTS,
  };
  const run = async (...args: string[]): Promise<TouchlineRun & { readonly code: number | string }> => {
    const started = touchline(args, env);
    return Object.assign(started, { code: await started.ended });
  };
  const outOf = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await run(...args);
    expect({ code, err }, out).toEqual({ code: 0, err: '' });
    return out;
  };
  /** Starts everything, and returns the run with the address of its receiver. */
  const up = async () => {
    const started = touchline(['up'], env);
    await written(started, UP);
    return { started, webhookUrl: /Webhook +POST (\S+)/.exec(started.out)?.[1] ?? '' };
  };
  const stop = async ({ child, ended }: TouchlineRun): Promise<void> => {
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  };
  const page = new RunbookPages().page('registry-lost');

  // Another system had a schema first: the ids of a new registry would be others.
  const { status } = await fetch(`${registry.url}/subjects/foreign-value/versions`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify({ schema: JSON.stringify({ type: 'record', name: 'Foreign', fields: [] }) }),
  });
  expect(status).toBe(200);
  const first = await up();
  await playAtOnce({ WEBHOOK_URL: first.webhookUrl, MATCHES: '1' });
  await run('clients', 'webhook', 'add', '1', '--url', 'https://customer.example/hook');
  await untilTrue('the match is over', async () => (await outOf('match', MATCH)).includes('\nFinished '));
  await page.succeeds(env);
  await stop(first.started);
  const states = () => outOf('tail', 'match-state', '--from-beginning', '--exit-at-end', '--json');
  const told = async (): Promise<string[]> => [
    await outOf('clients', 'list'),
    await outOf('clients', 'show', '1'),
    await states(),
  ];
  const before = await told();
  const bytesOf = async (topic: string): Promise<string[]> =>
    (await readRecords(brokers, `touchline.${topic}`)).map(
      ({ offset, key, value }) => `${offset} ${key} ${value?.toString('base64')}`,
    );
  const bytes = await Promise.all(['clients', 'match-state'].map(bytesOf));

  await registry.kill('SIGTERM');
  const topics = await withAdmin(brokers, (admin) => admin.listTopics());
  const ofRegistry = topics.filter((name) => name.startsWith('kafkasql'));
  expect(ofRegistry).toContain('kafkasql-journal');
  await deleteTopics(brokers, ofRegistry);
  await registry.start();

  const doctor = await run('doctor');
  expect(doctor.code).toBe(1);
  const failed = doctor.out.split('\n').filter((line) => /^failed/.test(line));
  expect(failed, doctor.out).toEqual([
    expect.stringMatching(/^failed +records +nobody can read touchline\./),
  ]);
  expect(doctor.out).toContain(PAGE);
  expect(doctor.err.split('\n').length, doctor.err).toBeLessThanOrEqual(2);
  for (const order of [['up'], ['topics'], ['rebuild', 'match-processor', '--yes']]) {
    const { code, err } = await run(...order);
    expect(code, err).toBe(1);
    expect(err.trim().split('\n').length, err).toBeLessThanOrEqual(5);
    expect(err).toContain(PAGE);
  }
  for (const order of [['list'], ['add', '--id', '1'], ['rotate-secret', '1']]) {
    const { code, out, err } = await run('clients', ...order);
    expect({ code, out }, err).toEqual({ code: 1, out: '' });
    expect(err).toContain('cannot be read');
  }
  expect((await fetch(`${registry.url}/subjects`).then((answer) => answer.json())) as string[]).toEqual([]);
  expect(await Promise.all(['clients', 'match-state'].map(bytesOf))).toEqual(bytes);

  expect(await page.succeeds(env)).not.toContain('\nfailed');
  expect(page.left).toBe(0);
  expect(await told()).toEqual(before);
  const second = await up();
  const event = { id: Number(MATCH), bet_status: 'after the restore' };
  const message = { id: 'restored', type: 'event', ut: 1_700_000_000, data: { event } };
  expect((await deliverSigned(second.webhookUrl, [message])).status).toBe(200);
  const versionOf = (printed: string): number => {
    const values = printed
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    return values.findLast(({ event_id }) => event_id === Number(MATCH)).version;
  };
  await untilTrue(
    'the message is applied to the state that was',
    async () => versionOf(await states()) === versionOf(before[2] ?? '') + 1,
  );
  await stop(second.started);
});

import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Contracts } from '#clients/contracts.ts';
import { ClientDirectory } from '#clients/directory.ts';
import { deriveKey, verifySecret } from '#clients/keys.ts';
import { openWebhook } from '#clients/webhooks.ts';
import type { Client } from '#records/types.ts';
import { follow } from '#topics/follow.ts';
import { Registry } from '#topics/registry.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { topicName } from '#topics/topics.ts';
import { backboneFile } from '../../../cli/backbone-file.ts';
import { backbone } from '../../setup/backbone.ts';
import { writeText } from '../../support/certificates.ts';
import { CLIENTS_KEY, connectionEnv } from '../../support/environment.ts';
import { answers, HttpsReceiver } from '../../support/https-receiver.ts';
import { quietLog } from '../../support/log.ts';
import { publishValues } from '../../support/publish-values.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { makeOnly } from '../../support/topics.ts';
import { touchlineHere } from '../../support/touchline-here.ts';

/** Creates topics. Returns the clients on them, and a function that runs `touchline clients`. */
async function started() {
  const { brokers, registryUrl, prefix } = backbone();
  const names = ['clients', 'operator-orders'] as const;
  await makeOnly(new Set(names.map((name) => topicName(prefix, name))), { brokers, prefix, partitions: 1 });
  const directory = new ClientDirectory('clients', { brokers, registryUrl, prefix, log: quietLog });
  const run = async (line: string, exitCode = 0, keys: Record<string, string> = { CLIENTS_KEY }) => {
    const env = connectionEnv({ brokers, registryUrl, prefix });
    const ran = await touchlineHere(['clients', ...line.split(' ')], { ...env, ...keys });
    expect(ran.code, ran.err).toBe(exitCode);
    return ran;
  };
  const at = { brokers, registryUrl, prefix };
  return { directory, run, at, connection: { brokers, registryUrl, topicPrefix: prefix } };
}

/** Opens the webhooks of a client with a key. */
function opened({ client_id, webhooks }: Client, key: string) {
  const keys = [deriveKey(key, 'webhooks')];
  return webhooks.map((webhook) => ({ ...webhook, ...openWebhook(client_id, webhook, keys) }));
}

test('creates, shows and changes clients', async () => {
  const { directory, run } = await started();
  const added = (await run('add --name First --competitions 1,2 --operations events.index')).out;
  const secret = /secret_key ([0-9a-f]{32})\n/.exec(added)?.[1] ?? '';
  expect(added).toContain('client_id 1 (First)');
  await run('add --id 9');
  expect((await run('add --id 9', 1)).err).toContain('there is a client 9 already');

  const [first] = await directory.list();
  expect(verifySecret(secret, first?.secret_hash ?? '')).toBe(true);
  const { out } = await run('list --json');
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { client_id: 1, name: 'First', active: true, competitions: [1, 2], operations: ['events.index'] },
    { client_id: 9, name: 'client 9', active: true, competitions: null, operations: null },
  ]);
  expect(out).not.toContain('scrypt');

  await run('disable 1');
  await run('contract 1 --competitions all --operations feed.index,oauth');
  const renewed = /secret_key (\w+)/.exec((await run('rotate-secret 1')).out)?.[1] ?? '';
  const [changed] = await directory.list();
  expect(changed).toMatchObject({
    active: false,
    competitions: null,
    operations: ['feed.index', 'oauth'],
    version: 4,
  });
  expect(verifySecret(secret, changed?.secret_hash ?? '')).toBe(false);
  expect(verifySecret(renewed, changed?.secret_hash ?? '')).toBe(true);
});

test('reads a signing secret from a file, and refuses it as an argument', async () => {
  const { directory, run } = await started();
  await run('add');
  const secret = 'S'.repeat(32);
  const url = 'https://customer.example/hook';
  const refused = await run(`webhook add 1 --url ${url} --secret ${secret}`, 2);
  expect(refused.err).toContain('use --secret-file');
  expect(refused.err).not.toContain(secret);
  const file = writeText(temporaryFolder(), 'secret', `${secret}\n`);
  await run(`webhook add 1 --url ${url} --secret-file ${file}`);
  const [client] = await directory.list();
  if (client === undefined) throw new Error('no client');
  expect(opened(client, CLIENTS_KEY)).toMatchObject([{ url, secret }]);
});

test('seals webhooks, and shows their addresses with the key', async () => {
  const { directory, run } = await started();
  await run('add');
  const url = 'https://customer.example/hook';
  const { out } = await run(`webhook add 1 --url ${url}`);
  const [, id, secret] = /webhook (\w+) of client 1\nsigning secret (\w{32})\n/.exec(out) ?? [];
  const [client] = await directory.list();
  expect(JSON.stringify(client)).not.toContain('customer.example');
  if (client === undefined) throw new Error('no client');
  expect(opened(client, CLIENTS_KEY)).toMatchObject([{ id, url, secret, format: null, template: null }]);
  expect((await run('show 1')).out).toContain(`webhook ${id}: ${url}`);
  expect((await run('webhook add 1 --url http://customer.example/', 2)).err).toContain('valid https URL');
  expect((await run(`webhook remove 1 ${id}`, 1)).err).toContain('0 pending messages never sent: confirm');
  await run(`webhook remove 1 ${id} --yes`);
  expect((await directory.list())[0]?.webhooks).toEqual([]);
});

test('says of addresses that are never called that they are not', async () => {
  const { run } = await started();
  await run('add');
  const added = async (url: string, ranges = {}) =>
    (await run(`webhook add 1 --url ${url}`, 0, { CLIENTS_KEY, ...ranges })).out;
  for (const url of ['https://10.1.2.3/hook', 'https://localhost/hook'])
    expect(await added(url)).toContain('warning: its address is not public');
  expect(await added('https://me:pass@customer.example/')).toContain('warning: it will never be called');
  expect(await added('https://10.1.2.3/hook', { WEBHOOK_ALLOWED_RANGES: '10.0.0.0/8' })).not.toContain(
    'warning',
  );
});

test('shows and changes a client with a webhook that another key sealed', async () => {
  const { directory, run } = await started();
  await run('add');
  for (const key of [CLIENTS_KEY, 'a key that nobody has any more, and long'])
    await run('webhook add 1 --url https://customer.example/hook', 0, { CLIENTS_KEY: key });
  const [known, lost] = (await directory.list())[0]?.webhooks ?? [];
  const lines = `webhook ${known?.id}: https://customer.example/hook\nwebhook ${lost?.id}: sealed with another key\n`;
  expect((await run('show 1')).out).toContain(lines);
  expect((await run('contract 1 --competitions 5')).out).toContain(lines);
  expect((await directory.list())[0]?.competitions).toEqual([5]);
});

test('adds a webhook with --test only if its address accepts a signed delivery, and tests it later', async () => {
  const { directory, run } = await started();
  const receiver = await HttpsReceiver.start(answers.otherText);
  const caFile = join(temporaryFolder(), 'ca.pem');
  writeFileSync(caFile, receiver.ca);
  const reach = { CLIENTS_KEY, WEBHOOK_ALLOWED_RANGES: '127.0.0.1/32', WEBHOOK_CA_FILE: caFile };
  await run('add');
  const add = `webhook add 1 --url ${receiver.url} --test`;
  expect((await run(add, 1)).err).toContain('the address is not public');
  expect((await run(add, 1, reach)).err).toContain('the answer is not the text Accepted');
  expect((await directory.list())[0]?.webhooks).toEqual([]);
  receiver.answerWith(answers.accepted);
  const { out } = await run(add, 0, reach);
  const [, id, secret = ''] = /webhook (\w+) of client 1\nsigning secret (\w{32})\n/.exec(out) ?? [];
  const tried = receiver.received.at(-1);
  expect(tried?.body.toString()).toBe('[]');
  const { 'x-signature-expiration-timestamp': until, 'x-signature-sha256': signature } = tried?.headers ?? {};
  expect(signature).toBe(createHmac('sha256', secret).update(`[].${until}`).digest('hex'));
  await run(`webhook test 1 ${id}`, 0, reach);
  receiver.answerWith(answers.error);
  expect((await run(`webhook test 1 ${id}`, 1, reach)).err).toContain('the status is no success: 500');
});

test('rotates the secret of a webhook, which keeps its id', async () => {
  const { directory, run } = await started();
  await run('add');
  const { out } = await run('webhook add 1 --url https://customer.example/hook');
  const [, id = '', former] = /webhook (\w+) of client 1\nsigning secret (\w{32})\n/.exec(out) ?? [];
  const secretNow = async (): Promise<string | undefined> => {
    const [client] = await directory.list();
    return client && opened(client, CLIENTS_KEY).find((one) => one.id === id)?.secret;
  };
  expect((await run(`webhook rotate-secret 1 ${id} --finish`, 1)).err).toContain('has no next secret');
  const next = /next signing secret (\w{32})\n/.exec((await run(`webhook rotate-secret 1 ${id}`)).out)?.[1];
  expect(await secretNow()).toBe(former);
  await run(`webhook rotate-secret 1 ${id} --finish`);
  expect(await secretNow()).toBe(next);
  expect((await run('webhook rotate-secret 1 none', 1)).err).toContain('client 1 has no webhook none');
});

test('uses the key of a data folder only for the system of that folder', async () => {
  const { run, connection } = await started();
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'clients-key'), 'the key of the system of this folder, long\n');
  const add = 'webhook add 1 --url https://customer.example/hook';
  await run('add');
  const here = backboneFile(folder);
  for (const other of [
    { ...connection, brokers: ['elsewhere:9092'] },
    { ...connection, topicPrefix: 'other.' },
  ]) {
    here.write(other);
    expect((await run(add, 1, { DATA_DIR: folder })).err).toContain('no key of clients');
  }
  here.write(connection);
  await run(add, 0, { DATA_DIR: folder });
  here.remove();
  expect((await run(add, 1, { DATA_DIR: folder })).err).toContain('no key of clients');
});

test('reseals the webhooks of all clients once, and names those that no key opens', async () => {
  const { directory, run } = await started();
  const next = { CLIENTS_KEY: 'the next key of the tests, long enough', CLIENTS_KEY_SECOND: CLIENTS_KEY };
  const url = 'https://customer.example/hook';
  for (const id of [1, 2]) {
    await run('add');
    await run(`webhook add ${id} --url ${url}`);
  }
  await run('webhook add 2 --url https://lost.example/', 0, {
    CLIENTS_KEY: 'a key that nobody has any more, and long',
  });
  const lost = (await directory.list())[1]?.webhooks[1];
  const { err } = await run('webhook reseal', 1, next);
  expect(err).toContain(`2 webhooks were sealed again, no key opens ${lost?.id}: `);
  await run(`webhook remove 2 ${lost?.id} --yes`, 0, {});
  const before = await directory.list();
  expect((await run('webhook reseal', 0, next)).out).toBe('0 webhooks were sealed again\n');
  expect(await directory.list()).toEqual(before);
  for (const client of before) expect(opened(client, next.CLIENTS_KEY)).toMatchObject([{ url }]);
});

test('ignores a record of a client under another key, whoever reads it', async () => {
  const { directory, run, at } = await started();
  await run('add');
  const [client] = await directory.list();
  if (client === undefined) throw new Error('no client');
  await publishValues(at, 'clients', [{ key: '55', value: { ...client, version: 99 } }]);
  expect((await run('disable 1')).out).toContain('disabled');
  const contracts = new Contracts((access) => access);
  const registry = new Registry({ url: at.registryUrl, prefix: at.prefix });
  const onRecord = contracts.apply.bind(contracts);
  await follow(['clients'], { ...at, registry }, { untilEnd: true, onRecord });
  expect(contracts.find(1)).toBeUndefined();
  expect(await directory.list()).toMatchObject([{ client_id: 1, active: false, version: 2 }]);
});

test('writes no version twice, whoever edits at the same time: the last record is the one that counts', async () => {
  const { directory, at } = await started();
  const blank = { ...sampleOf('clients'), client_id: 5, competitions: [] };
  const numbers = [1, 2, 3, 4, 5];
  const edits = await Promise.all(
    numbers.map((number) =>
      directory.edit(5, (client) => ({
        ...blank,
        ...client,
        competitions: [...(client?.competitions ?? []), number],
      })),
    ),
  );
  const log: Client[] = [];
  const registry = new Registry({ url: at.registryUrl, prefix: at.prefix });
  const onRecord = ({ value }: { readonly value: Client | null }) => void log.push(value as Client);
  await follow(['clients'], { ...at, registry }, { untilEnd: true, onRecord });
  expect(log.map(({ version }) => version)).toEqual(numbers);
  expect(log).toEqual(edits.toSorted((a, b) => a.version - b.version));
  expect(log.at(-1)?.competitions?.toSorted()).toEqual(numbers);

  // Another writer's record counts too, for readers as for compaction, whatever its version says.
  await publishValues(at, 'clients', [{ key: '5', value: { ...(log[0] as Client), name: 'restored' } }]);
  expect(await directory.list()).toMatchObject([{ name: 'restored', version: 1 }]);
  expect(await directory.edit(5, (client) => ({ ...blank, ...client, competitions: [] }))).toMatchObject({
    name: 'restored',
    version: 2,
  });
});

import { hostname, userInfo } from 'node:os';
import { expect, test } from 'vitest';
import type { OperatorOrder } from '#records/types.ts';
import { backbone } from '../../setup/backbone.ts';
import { CLIENTS_KEY, connectionEnv } from '../../support/environment.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchlineHere } from '../../support/touchline-here.ts';

test('records orders with user and outcome, without secrets, and records no command that only reads', async () => {
  const connection = backbone();
  const settings = {
    ...connectionEnv(connection),
    CLIENTS_KEY,
    DATA_DIR: temporaryFolder(),
  };
  const touchline = (line: string) => touchlineHere(line.split(' '), settings);
  // No topic exists yet: the order that creates it is recorded at its end.
  expect(await touchline('topics')).toMatchObject({ code: 0 });
  const { out } = await touchline('clients add --name watcher');
  const secret = /secret_key (\w+)/.exec(out)?.[1] ?? '';
  await touchline('clients list');
  const added = await touchline('clients webhook add 1 --url https://hooks.example/a/hidden/path');
  const [, signing = ''] = /signing secret (\w+)/.exec(added.out) ?? [];
  expect((await touchline('webhooks skip unknown --before 1h --yes')).code).toBe(1);
  expect((await touchline('webhooks list')).err).not.toContain('not recorded');

  const orders: OperatorOrder[] = [];
  const pipeline = await Pipeline.create({ ...connection, partitions: 8 });
  await pipeline.read('operator-orders', (order) => void orders.push(order));
  const shown = orders.map(({ command, arguments: words, outcome, exit_code }) => [
    `${command} ${words.join(' ')}`.trim(),
    outcome,
    exit_code,
  ]);
  expect(shown).toEqual([
    ['topics', 'done', 0],
    ['clients add --name watcher', 'begun', null],
    ['clients add --name watcher', 'done', 0],
    ['clients webhook add 1 --url hooks.example', 'begun', null],
    ['clients webhook add 1 --url hooks.example', 'done', 0],
    ['webhooks skip unknown --before 1h --yes', 'begun', null],
    ['webhooks skip unknown --before 1h --yes', 'failed', 1],
  ]);
  for (const { user, host, at } of orders)
    expect([user, host, at > Date.now() - 600_000]).toEqual([userInfo().username, hostname(), true]);
  for (const hidden of [secret, signing, 'hidden']) {
    expect(hidden).not.toBe('');
    expect(JSON.stringify(orders)).not.toContain(hidden);
  }
});

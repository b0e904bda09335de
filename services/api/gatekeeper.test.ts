import { beforeEach, expect, test } from 'vitest';
import type { Contracts } from '#clients/contracts.ts';
import { hashSecret } from '#clients/secret.ts';
import { createGatekeeper } from './gatekeeper.ts';
import { clientSeven, KEY } from './testing/client-seven.ts';

const NOW = 1_790_000_000;
let clients: Contracts;
let change: ReturnType<typeof clientSeven>['change'];

beforeEach(() => {
  ({ clients, change } = clientSeven());
});

test('gives a token of an hour for the right secret, which any replica with the key takes', async () => {
  const one = createGatekeeper(clients, [KEY]);
  const granted = await one.exchange('7', 'right', NOW);
  expect(granted?.expiration).toBe(NOW + 3_600);
  const two = createGatekeeper(clients, [KEY]);
  expect(two.access(granted?.token ?? '', NOW + 3_599)).toMatchObject({
    clientId: 7,
    operations: null,
    competitions: new Set([1, 2]),
  });
  expect(two.access(granted?.token ?? '', NOW + 3_600)).toBeNull();
  const other = createGatekeeper(clients, [`${KEY}x`]);
  expect(other.access(granted?.token ?? '', NOW)).toBeNull();
});

test('issues tokens with the first key and accepts those of both while the key is rotated', async () => {
  const next = `${KEY}x`;
  const tokenOf = async (...keys: [string, ...string[]]) => {
    const granted = await createGatekeeper(clients, keys).exchange('7', 'right', NOW);
    return granted?.token ?? '';
  };
  const both = createGatekeeper(clients, [next, KEY]);
  expect(both.access(await tokenOf(KEY), NOW)).not.toBeNull();
  expect(both.access(await tokenOf(next), NOW)).not.toBeNull();
  const after = createGatekeeper(clients, [next]);
  expect(after.access(await tokenOf(next, KEY), NOW)).not.toBeNull();
});

test.each([
  ['7', 'wrong'],
  ['7', ''],
  ['8', 'right'],
  ['0', 'right'],
  ['07', 'right'],
  ['x', 'right'],
])('issues no token for client %j with secret %j', async (id, secret) => {
  const gatekeeper = createGatekeeper(clients, [KEY]);
  expect(await gatekeeper.exchange(id, secret, NOW)).toBeNull();
});

test('forgets a secret that was changed, and a client that is disabled, at once', async () => {
  const gatekeeper = createGatekeeper(clients, [KEY]);
  const granted = await gatekeeper.exchange('7', 'right', NOW);
  expect(await gatekeeper.exchange('7', 'right', NOW)).not.toBeNull();
  change({ version: 2, secret_hash: hashSecret('other') });
  expect(await gatekeeper.exchange('7', 'right', NOW)).toBeNull();
  change({ version: 3, active: false });
  expect(gatekeeper.access(granted?.token ?? '', NOW)).toBeNull();
  expect(await gatekeeper.exchange('7', 'right', NOW)).toBeNull();
});

test('ignores a record of a client with a lower version', async () => {
  change({ version: 5, active: false });
  change({ version: 4 });
  const gatekeeper = createGatekeeper(clients, [KEY]);
  expect(await gatekeeper.exchange('7', 'right', NOW)).toBeNull();
});

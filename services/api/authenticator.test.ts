import { beforeEach, expect, test } from 'vitest';
import type { Contracts } from '#clients/contracts.ts';
import { hashSecret } from '#clients/secret.ts';
import { createAuthenticator } from './authenticator.ts';
import { clientSeven, KEY } from './testing/client-seven.ts';

const NOW = 1_790_000_000;
let clients: Contracts;
let change: ReturnType<typeof clientSeven>['change'];

beforeEach(() => {
  ({ clients, change } = clientSeven());
});

test('gives a token of an hour for the right secret, which any replica with the key takes', async () => {
  const one = createAuthenticator(clients, [KEY]);
  const granted = await one.exchange('7', 'right', NOW);
  expect(granted?.expiration).toBe(NOW + 3_600);
  const two = createAuthenticator(clients, [KEY]);
  expect(two.access(granted?.token ?? '', NOW + 3_599)).toMatchObject({
    clientId: 7,
    operations: null,
    competitions: new Set([1, 2]),
  });
  expect(two.access(granted?.token ?? '', NOW + 3_600)).toBeNull();
  const other = createAuthenticator(clients, [`${KEY}x`]);
  expect(other.access(granted?.token ?? '', NOW)).toBeNull();
});

test('issues tokens with the first key and accepts those of both while the key is rotated', async () => {
  const next = `${KEY}x`;
  const tokenOf = async (...keys: [string, ...string[]]) => {
    const granted = await createAuthenticator(clients, keys).exchange('7', 'right', NOW);
    return granted?.token ?? '';
  };
  const both = createAuthenticator(clients, [next, KEY]);
  expect(both.access(await tokenOf(KEY), NOW)).not.toBeNull();
  expect(both.access(await tokenOf(next), NOW)).not.toBeNull();
  const after = createAuthenticator(clients, [next]);
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
  const authenticator = createAuthenticator(clients, [KEY]);
  expect(await authenticator.exchange(id, secret, NOW)).toBeNull();
});

test('forgets a secret that was changed, and a client that is disabled, at once', async () => {
  const authenticator = createAuthenticator(clients, [KEY]);
  const granted = await authenticator.exchange('7', 'right', NOW);
  expect(await authenticator.exchange('7', 'right', NOW)).not.toBeNull();
  change({ version: 2, secret_hash: hashSecret('other') });
  expect(await authenticator.exchange('7', 'right', NOW)).toBeNull();
  change({ version: 3, active: false });
  expect(authenticator.access(granted?.token ?? '', NOW)).toBeNull();
  expect(await authenticator.exchange('7', 'right', NOW)).toBeNull();
});

test('refuses the token of a former client to the client that has its id now, but not after a rotation', async () => {
  const authenticator = createAuthenticator(clients, [KEY]);
  const granted = await authenticator.exchange('7', 'right', NOW);
  change({ version: 2, secret_hash: hashSecret('other') });
  expect(authenticator.access(granted?.token ?? '', NOW)).not.toBeNull();
  change({ version: 3, identity: 'fedcba9876543210' });
  expect(authenticator.access(granted?.token ?? '', NOW)).toBeNull();
});

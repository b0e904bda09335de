import { beforeEach, describe, expect, test } from 'vitest';
import { hashSecret, verifySecret } from '#clients/secret.ts';
import type { Client } from '#topics/generated/types.ts';
import { ViewsWorld } from '#views/testing/world.ts';
import { stretchedHash } from '../../test/support/former-secret.ts';
import type { StoreUpgrade } from './former-secrets.ts';
import { createGatekeeper } from './gatekeeper.ts';

/** Of clients that no former release made. */
const unstored = async (): Promise<void> => {};
const KEY = 'k'.repeat(32);
const NOW = 1_790_000_000;
let world: ViewsWorld;

function client(): Client {
  return {
    client_id: 7,
    name: 'x',
    active: true,
    secret_hash: hashSecret('right'),
    competitions: [1, 2],
    operations: null,
    webhooks: [],
    version: 1,
    updated_at: 1,
  };
}

async function know(changes: Partial<Client> = {}): Promise<void> {
  world.give({ topic: 'clients', partition: 0, offset: 0, key: '7', value: { ...client(), ...changes } });
}

beforeEach(async () => {
  world = new ViewsWorld();
  await know();
});

test('gives a token of an hour for the right secret, which any replica with the key takes', async () => {
  const one = createGatekeeper(world.views.clients, [KEY], unstored);
  const granted = await one.exchange('7', 'right', NOW);
  expect(granted?.expiration).toBe(NOW + 3_600);
  const two = createGatekeeper(world.views.clients, [KEY], unstored);
  expect(two.access(granted?.token ?? '', NOW + 3_599)).toMatchObject({
    clientId: 7,
    operations: null,
    competitions: new Set([1, 2]),
  });
  expect(two.access(granted?.token ?? '', NOW + 3_600)).toBeNull();
  const other = createGatekeeper(world.views.clients, [`${KEY}x`], unstored);
  expect(other.access(granted?.token ?? '', NOW)).toBeNull();
});

test('gives tokens of the first key and accepts those of both, while the key is rotated', async () => {
  const next = `${KEY}x`;
  const tokenOf = async (...keys: [string, ...string[]]) => {
    const granted = await createGatekeeper(world.views.clients, keys, unstored).exchange('7', 'right', NOW);
    return granted?.token ?? '';
  };
  const both = createGatekeeper(world.views.clients, [next, KEY], unstored);
  expect(both.access(await tokenOf(KEY), NOW)).not.toBeNull();
  expect(both.access(await tokenOf(next), NOW)).not.toBeNull();
  const after = createGatekeeper(world.views.clients, [next], unstored);
  expect(after.access(await tokenOf(next, KEY), NOW)).not.toBeNull();
});

test.each([
  ['7', 'wrong'],
  ['7', ''],
  ['8', 'right'],
  ['0', 'right'],
  ['07', 'right'],
  ['x', 'right'],
])('gives client %j with secret %j nothing', async (id, secret) => {
  const gatekeeper = createGatekeeper(world.views.clients, [KEY], unstored);
  expect(await gatekeeper.exchange(id, secret, NOW)).toBeNull();
});

test('forgets a secret that was changed, and a client that is disabled, at once', async () => {
  const gatekeeper = createGatekeeper(world.views.clients, [KEY], unstored);
  const granted = await gatekeeper.exchange('7', 'right', NOW);
  expect(await gatekeeper.exchange('7', 'right', NOW)).not.toBeNull();
  await know({ version: 2, secret_hash: hashSecret('other') });
  expect(await gatekeeper.exchange('7', 'right', NOW)).toBeNull();
  await know({ version: 3, active: false });
  expect(gatekeeper.access(granted?.token ?? '', NOW)).toBeNull();
  expect(await gatekeeper.exchange('7', 'right', NOW)).toBeNull();
});

test('does not take an older record of a client for a newer one', async () => {
  await know({ version: 5, active: false });
  await know({ version: 4 });
  const gatekeeper = createGatekeeper(world.views.clients, [KEY], unstored);
  expect(await gatekeeper.exchange('7', 'right', NOW)).toBeNull();
});

describe('a client of a former release', () => {
  test('is granted a token for its secret alone, and checked cheaply from then on', async () => {
    await know({ version: 2, secret_hash: stretchedHash('right') });
    const stored: Parameters<StoreUpgrade>[] = [];
    const gatekeeper = createGatekeeper(world.views.clients, [KEY], async (...given) => {
      stored.push(given);
    });
    expect(await gatekeeper.exchange('7', 'wrong', NOW)).toBeNull();
    expect(stored).toEqual([]);
    await Promise.all(Array.from({ length: 4 }, () => gatekeeper.exchange('7', 'right', NOW)));
    expect(stored).toHaveLength(1);
    expect(verifySecret('right', stored[0]?.[2] ?? '')).toBe(true);
    // More at once than stretched checks are allowed.
    const granted = await Promise.all(
      Array.from({ length: 100 }, (_, n) => gatekeeper.exchange('7', n % 2 === 0 ? 'right' : 'wrong', NOW)),
    );
    expect(granted.filter((one) => one !== null)).toHaveLength(50);
  });

  test('is forgotten as upgraded once its secret is rotated', async () => {
    await know({ version: 2, secret_hash: stretchedHash('right') });
    const gatekeeper = createGatekeeper(world.views.clients, [KEY], unstored);
    expect(await gatekeeper.exchange('7', 'right', NOW)).not.toBeNull();
    await know({ version: 3, secret_hash: stretchedHash('other') });
    expect(await gatekeeper.exchange('7', 'right', NOW)).toBeNull();
    expect(await gatekeeper.exchange('7', 'other', NOW)).not.toBeNull();
  });

  test('can be guessed at a few times at once only, which holds up no other client', async () => {
    await know({ version: 2, secret_hash: stretchedHash('right') });
    world.give({
      topic: 'clients',
      partition: 0,
      offset: 1,
      key: '8',
      value: { ...client(), client_id: 8, secret_hash: hashSecret('right') },
    });
    const gatekeeper = createGatekeeper(world.views.clients, [KEY], unstored);
    let checked = 0;
    const guesses = Array.from({ length: 150 }, () =>
      gatekeeper.exchange('7', 'wrong', NOW).finally(() => {
        checked += 1;
      }),
    );
    const refused = Promise.allSettled(guesses);
    expect(await gatekeeper.exchange('8', 'right', NOW)).not.toBeNull();
    // Those that were refused at once, while the stretched checks are still under way.
    expect(checked).toBeLessThanOrEqual(142);
    const codes = (await refused).map((one) => (one.status === 'rejected' ? one.reason.code : one.value));
    expect(codes.filter((code) => code === 'NOT_READY')).toHaveLength(142);
    expect(codes.filter((code) => code === null)).toHaveLength(8);
  });
});

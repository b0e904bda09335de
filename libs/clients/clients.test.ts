import { expect, test } from 'vitest';
import {
  clientsSettings,
  deriveKey,
  hashSecret,
  newSecret,
  SealError,
  seal,
  unseal,
  verifySecret,
} from './keys.ts';
import {
  adoptSecret,
  openWebhook,
  proposeSecret,
  resealWebhook,
  sealWebhook,
  wants,
  webhookInput,
  withOrder,
} from './webhooks.ts';

const KEY = deriveKey('a key of a deployment, long enough', 'webhooks');
const OTHER = deriveKey('another key of a deployment, long', 'webhooks');
const WEBHOOK = { url: 'https://a.example/x', secret: 's'.repeat(32) };

test('derives another key for each purpose', () => {
  const keys = [
    deriveKey('x'.repeat(32), 'tokens'),
    deriveKey('x'.repeat(32), 'webhooks'),
    deriveKey('y'.repeat(32), 'tokens'),
  ];
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(3);
  expect(keys.every((key) => key.length === 32)).toBe(true);
  expect(clientsSettings.CLIENTS_KEY.safeParse('x'.repeat(31)).success).toBe(false);
});

test('hashes secrets with a salt, and verifies the right one', async () => {
  const secret = newSecret();
  expect(secret).toMatch(/^[0-9a-f]{32}$/);
  const [one, two] = [hashSecret(secret), hashSecret(secret)];
  expect(one).not.toBe(two);
  expect(one).not.toContain(secret);
  expect(verifySecret(secret, one)).toBe(true);
  expect(verifySecret(`${secret}x`, one)).toBe(false);
});

test.each(['', 'scrypt$1', 'plain', 'scrypt$16384$8$1$$'])(
  'accepts no secret for the hash %j',
  async (hash) => {
    expect(verifySecret('', hash)).toBe(false);
  },
);

test('opens a sealed text with the same key and context only', () => {
  const sealed = seal('https://a.example/x', KEY, 'here');
  expect(unseal(sealed, [OTHER, KEY], 'here')).toBe('https://a.example/x');
  expect(sealed).not.toBe(seal('https://a.example/x', KEY, 'here'));
  const flipped = `${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'Q' : 'A'}`;
  for (const [text, key, context] of [
    [sealed, KEY, 'there'],
    [sealed, OTHER, 'here'],
    [flipped, KEY, 'here'],
    ['', KEY, 'here'],
  ] as const) {
    expect(() => unseal(text, [key], context)).toThrow(SealError);
  }
});

test('seals a webhook for its client alone', () => {
  const sealed = sealWebhook(7, WEBHOOK, KEY, { types: ['incident'], created_at: 5 });
  expect(sealed).toMatchObject({ types: ['incident'], created_at: 5 });
  expect(openWebhook(7, sealed, [KEY])).toEqual(WEBHOOK);
  expect(() => openWebhook(8, sealed, [KEY])).toThrow(SealError);
});

test('opens a webhook with each accepted key, and reseals it with the first one under its id', () => {
  const sealed = sealWebhook(7, WEBHOOK, KEY, { created_at: 5 });
  expect(openWebhook(7, sealed, [OTHER, KEY])).toEqual(WEBHOOK);
  const resealed = resealWebhook(7, sealed, [OTHER, KEY]);
  const hidden = { sealed_url: '', sealed_secret: '' };
  expect({ ...resealed, ...hidden }).toEqual({ ...sealed, ...hidden });
  expect(openWebhook(7, resealed, [OTHER])).toEqual(WEBHOOK);
  expect(resealWebhook(7, resealed, [OTHER, KEY])).toBe(resealed);
  expect(() => resealWebhook(7, sealed, [OTHER])).toThrow(SealError);
});

test('signs with the next secret once it is adopted, even if the key was rotated in between', () => {
  const sealed = sealWebhook(7, WEBHOOK, KEY, { created_at: 5 });
  expect(adoptSecret(7, sealed, [KEY])).toBeNull();
  const proposed = proposeSecret(7, sealed, 'n'.repeat(32), KEY);
  expect(openWebhook(7, proposed, [KEY])).toEqual(WEBHOOK);
  const resealed = resealWebhook(7, proposed, [OTHER, KEY]);
  const adopted = adoptSecret(7, resealed, [OTHER]);
  if (adopted === null) throw new Error('no next secret');
  expect(openWebhook(7, adopted, [OTHER])).toEqual({ ...WEBHOOK, secret: 'n'.repeat(32) });
  expect(adopted.sealed_next_secret).toBeNull();
});

test('reseals a next secret that was sealed with another key than the rest', () => {
  const sealed = sealWebhook(7, WEBHOOK, OTHER, { created_at: 5 });
  const proposed = proposeSecret(7, sealed, 'n'.repeat(32), KEY);
  const resealed = resealWebhook(7, proposed, [OTHER, KEY]);
  expect(adoptSecret(7, resealed, [OTHER])).toMatchObject({ id: sealed.id, sealed_next_secret: null });
  expect(resealWebhook(7, resealed, [OTHER, KEY])).toBe(resealed);
});

test.each([
  ['http://a.example/', 's'.repeat(32)],
  ['a.example', 's'.repeat(32)],
  [`https://a.example/${'x'.repeat(1024)}`, 's'.repeat(32)],
  ['https://a.example/', 's'.repeat(31)],
])('refuses a webhook of %j', (url, secret) => {
  expect(webhookInput.safeParse({ url, secret }).success).toBe(false);
});

const ALL = { competitions: null, types: null };
const TYPED = { competitions: null, types: new Set(['incident']) };

test.each([
  ['everything but alerts if nothing limits it', ALL, [true, true, true, false]],
  [
    'no message of an unknown competition, or of one outside its contract',
    { ...ALL, competitions: new Set([1]) },
    [true, false, false, false],
  ],
  ['messages of the types that it selects', TYPED, [true, true, false, false]],
  ['alerts if it selects them', { ...ALL, types: new Set(['alert']) }, [false, false, false, true]],
])('a subscription is sent %s', (_, filter, sent) => {
  const messages = [
    { competition_id: 1, type: 'incident' },
    { competition_id: null, type: 'incident' },
    { competition_id: 2, type: 'event' },
    { competition_id: 2, type: 'alert' },
  ];
  expect(messages.map((one) => wants(filter, one))).toEqual(sent);
});

test('an order gets the next number, and takes the place of those that are applied, up to twenty that wait', () => {
  const order = { kind: 'enabled', next: [] };
  const numbers = (orders: ReturnType<typeof withOrder>) => orders?.map(({ number }) => number);
  const first = withOrder([], 0, order) ?? [];
  const second = withOrder(first, 0, order) ?? [];
  expect([first, second, withOrder(second, 1, order), withOrder(second, 2, order)].map(numbers)).toEqual([
    [1],
    [1, 2],
    [2, 3],
    [3],
  ]);
  const many = Array.from({ length: 20 }, (_, at) => ({ ...order, number: at + 5 }));
  expect([withOrder(many, 4, order), numbers(withOrder(many, 5, order))?.length]).toEqual([null, 20]);
});

import { expect, onTestFinished, test } from 'vitest';
import { deriveKey } from '#clients/keys.ts';
import { sealWebhook } from '#clients/webhooks.ts';
import { Dispatcher } from './dispatcher.ts';
import { WebhookSubscriptions } from './subscriptions.ts';
import { DeliveryWorld, SUBSCRIPTION } from './testing/delivery-world.ts';

const KEY = deriveKey('a key of a deployment, long enough', 'webhooks');

test('is idle while it delivers to no subscription: without one, before its claim, and after its release', async () => {
  const context = new DeliveryWorld().context();
  const subscriptions = new WebhookSubscriptions({ keys: [KEY], log: context.log });
  subscriptions.openChanged();
  const messages = { ...context.messages, bounds: async () => [] };
  const dispatcher = new Dispatcher({ context: { ...context, messages }, subscriptions, partitions: 1 });
  onTestFinished(() => dispatcher.release(0));
  dispatcher.claim(0, new Map());
  expect(dispatcher.isIdle).toBe(true);
  subscriptions.apply({
    client_id: 1,
    name: 'a',
    active: true,
    secret_hash: '',
    competitions: null,
    operations: null,
    webhooks: [sealWebhook(1, SUBSCRIPTION, KEY, { types: null, createdAt: 0 })],
    version: 1,
    updated_at: 0,
  });
  subscriptions.openChanged();
  dispatcher.refresh();
  expect(dispatcher.isIdle).toBe(false);
  await dispatcher.release(0);
  expect(dispatcher.isIdle).toBe(true);
});

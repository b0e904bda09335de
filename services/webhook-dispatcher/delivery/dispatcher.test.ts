import { expect, onTestFinished, test } from 'vitest';
import { deriveKey } from '#clients/keys.ts';
import { sealWebhook } from '#clients/webhooks.ts';
import { Dispatcher } from './dispatcher.ts';
import { WebhookSubscriptions } from './subscriptions.ts';
import { clientWith } from './testing/client.ts';
import { DeliveryWorld, SUBSCRIPTION, started } from './testing/delivery-world.ts';

const KEY = deriveKey('a key of a deployment, long enough', 'webhooks');
const WEBHOOK = sealWebhook(1, SUBSCRIPTION, KEY, { created_at: 0 });

/** Returns a dispatcher of one partition without a client. `subscribe` gives it one with a webhook. */
function dispatcherIn(world: DeliveryWorld) {
  const context = world.context();
  const subscriptions = new WebhookSubscriptions({ keys: [KEY], log: context.log });
  subscriptions.known = true;
  const messages = { ...context.messages, bounds: async () => [] };
  const dispatcher = new Dispatcher({ context: { ...context, messages }, subscriptions, partitions: 1 });
  onTestFinished(() => dispatcher.release(0));
  const subscribe = (): void => {
    subscriptions.apply(1, clientWith(WEBHOOK));
    dispatcher.refresh();
  };
  return { dispatcher, progressLog: context.progressLog, subscribe };
}

test('is idle while it delivers to no subscription: without one, before its claim, and after its release', async () => {
  const { dispatcher, progressLog, subscribe } = dispatcherIn(new DeliveryWorld());
  await dispatcher.claim(0, new Map(), progressLog);
  expect(dispatcher.isIdle).toBe(true);
  subscribe();
  expect(dispatcher.isIdle).toBe(false);
  await dispatcher.release(0);
  expect(dispatcher.isIdle).toBe(true);
});

test('posts the messages of several partitions that one fetch found with one request', async () => {
  const world = new DeliveryWorld();
  const { dispatcher, progressLog, subscribe } = dispatcherIn(world);
  subscribe();
  await dispatcher.claim(0, new Map([[WEBHOOK.id, started(0, 0)]]), progressLog);
  for (const partition of [0, 1]) world.publish(partition, 1);
  dispatcher.offer(world.log.flat());
  await world.has(2);
  expect(world.posted.map((texts) => texts.toSorted())).toEqual([['0:0', '1:0']]);
});

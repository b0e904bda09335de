import { expect, test } from 'vitest';
import type { ClientDirectory } from '#clients/directory.ts';
import { openWebhook, sealWebhook } from '#clients/webhooks.ts';
import type { Client } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { resealWebhooks } from './webhooks.ts';

test('a webhook with a next secret that no key opens is named, and the others are sealed again', async () => {
  const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const webhook = { url: 'https://a.example/', secret: 'x'.repeat(32) };
  const seal = () => sealWebhook(7, webhook, second, { created_at: 0 });
  const [lost, other] = [{ ...seal(), sealed_next_secret: seal().sealed_secret }, seal()];
  let client: Client = { ...sampleOf('clients'), client_id: 7, webhooks: [lost, other] };
  const directory = {
    list: async () => [client],
    edit: async (_id: number, edit: (known: Client) => Client) => {
      client = edit(client);
      return client;
    },
  } as unknown as ClientDirectory;
  await expect(resealWebhooks(directory, [first, second])).rejects.toThrow(
    `1 webhooks were sealed again, no key opens ${lost.id}`,
  );
  expect(client.webhooks[0]).toBe(lost);
  expect(openWebhook(7, client.webhooks[1] as typeof other, [first])).toMatchObject(webhook);
});

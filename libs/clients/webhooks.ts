import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Client, WebhookSubscription } from '#topics/generated/types.ts';
import { seal, unseal } from './sealing.ts';

/** Where a client's webhooks go, in the clear. Never to be logged. */
export type Webhook = { readonly id: string; readonly url: string; readonly secret: string };

const WRONG_SECRET = 'the signing secret must have exactly 32 characters';

/** What a client gives for its webhooks (spec, "Webhook test"). */
export const webhookInput = z.object({
  url: z
    .url({ protocol: /^https$/, error: 'the address must be a valid https URL' })
    .max(1024, 'the address may have at most 1024 characters'),
  secret: z.string(WRONG_SECRET).length(32, WRONG_SECRET),
});

/** A subscription with a new id, its address and secret sealed for this client. `key` is the one for `webhooks`. */
export function sealWebhook(
  clientId: number,
  webhook: z.output<typeof webhookInput>,
  key: Buffer,
): WebhookSubscription {
  const id = randomBytes(6).toString('hex');
  return {
    id,
    sealed_url: seal(webhook.url, key, placeOf(clientId, id, 'url')),
    sealed_secret: seal(webhook.secret, key, placeOf(clientId, id, 'secret')),
  };
}

/** The subscriptions of a client, opened. Throws `SealError`. */
export function openWebhooks(client: Client, key: Buffer): Webhook[] {
  return client.webhooks.map(({ id, sealed_url, sealed_secret }) => ({
    id,
    url: unseal(sealed_url, key, placeOf(client.client_id, id, 'url')),
    secret: unseal(sealed_secret, key, placeOf(client.client_id, id, 'secret')),
  }));
}

function placeOf(clientId: number, webhookId: string, field: 'url' | 'secret'): string {
  return `client/${clientId}/webhook/${webhookId}/${field}`;
}

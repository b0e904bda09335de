import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Client, WebhookSubscription } from '#topics/generated/types.ts';
import { seal, unseal } from './sealing.ts';

/** Where a client's webhooks go, in the clear. Never to be logged. */
export type Webhook = { readonly id: string; readonly url: string; readonly secret: string };

const WRONG_SECRET = 'the signing secret must have exactly 32 characters';
/** The types of message that a subscription may ask for. */
export const WEBHOOK_TYPES = ['incident', 'event', 'alert'] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** What a client gives for its webhooks (spec, "Webhook test"). */
export const webhookInput = z.object({
  url: z
    .url({ protocol: /^https$/, error: 'the address must be a valid https URL' })
    .max(1024, 'the address may have at most 1024 characters'),
  secret: z.string(WRONG_SECRET).length(32, WRONG_SECRET),
});

/** What of messages a new subscription is sent: of these types, null is all, from this time on (Unix milliseconds). */
export type WebhookScope = { readonly types: readonly WebhookType[] | null; readonly createdAt: number };

/** A subscription with a new id, its address and secret sealed for this client. `key` is the one for `webhooks`. */
export function sealWebhook(
  clientId: number,
  webhook: z.output<typeof webhookInput>,
  key: Buffer,
  { types, createdAt }: WebhookScope,
): WebhookSubscription {
  const id = randomBytes(6).toString('hex');
  return {
    id,
    sealed_url: seal(webhook.url, key, placeOf(clientId, id, 'url')),
    sealed_secret: seal(webhook.secret, key, placeOf(clientId, id, 'secret')),
    types: types === null ? null : [...types],
    created_at: createdAt,
  };
}

/** The subscriptions of a client, opened. Throws `SealError`. */
export function openWebhooks(client: Client, key: Buffer): Webhook[] {
  return client.webhooks.map((webhook) => openWebhook(client.client_id, webhook, key));
}

/** One subscription of a client, opened. Throws `SealError`. */
export function openWebhook(
  clientId: number,
  { id, sealed_url, sealed_secret }: WebhookSubscription,
  key: Buffer,
): Webhook {
  return {
    id,
    url: unseal(sealed_url, key, placeOf(clientId, id, 'url')),
    secret: unseal(sealed_secret, key, placeOf(clientId, id, 'secret')),
  };
}

function placeOf(clientId: number, webhookId: string, field: 'url' | 'secret'): string {
  return `client/${clientId}/webhook/${webhookId}/${field}`;
}

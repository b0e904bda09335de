import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { WebhookSubscription } from '#topics/generated/types.ts';
import type { DerivedKeys } from './keys.ts';
import { SealError, seal, unseal } from './sealing.ts';

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
    sealed_next_secret: null,
  };
}

/** The subscription with another secret to be signed with next. Its receiver is given it, and accepts both meanwhile. */
export function proposeSecret(
  clientId: number,
  webhook: WebhookSubscription,
  secret: string,
  key: Buffer,
): WebhookSubscription {
  const sealed_next_secret = seal(secret, key, placeOf(clientId, webhook.id, 'next-secret'));
  return { ...webhook, sealed_next_secret };
}

/** The subscription signed with its next secret from now on, under its id; null where none was proposed. Throws `SealError`. */
export function adoptSecret(
  clientId: number,
  webhook: WebhookSubscription,
  keys: DerivedKeys,
): WebhookSubscription | null {
  const { id, sealed_next_secret: sealed } = webhook;
  if (sealed === null) return null;
  const secret = unsealWithAny(sealed, keys, placeOf(clientId, id, 'next-secret'));
  const sealed_secret = seal(secret, keys[0], placeOf(clientId, id, 'secret'));
  return { ...webhook, sealed_secret, sealed_next_secret: null };
}

/** One subscription of a client, opened with the key that fits. Throws `SealError` where none does. */
export function openWebhook(
  clientId: number,
  { id, sealed_url, sealed_secret }: WebhookSubscription,
  keys: DerivedKeys,
): Webhook {
  return {
    id,
    url: unsealWithAny(sealed_url, keys, placeOf(clientId, id, 'url')),
    secret: unsealWithAny(sealed_secret, keys, placeOf(clientId, id, 'secret')),
  };
}

/**
 * The subscription sealed with the first key, under its id: its delivery continues where it is. Itself where it was sealed with
 * that key before. Throws `SealError` where no key fits.
 */
export function resealWebhook(
  clientId: number,
  webhook: WebhookSubscription,
  keys: DerivedKeys,
): WebhookSubscription {
  const [first] = keys;
  const { id, sealed_next_secret: next } = webhook;
  const place = placeOf(clientId, id, 'next-secret');
  try {
    openWebhook(clientId, webhook, [first]);
    if (next !== null) unseal(next, first, place);
    return webhook;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
  }
  const { url, secret } = openWebhook(clientId, webhook, keys);
  return {
    ...webhook,
    sealed_next_secret: next === null ? null : seal(unsealWithAny(next, keys, place), first, place),
    sealed_url: seal(url, first, placeOf(clientId, id, 'url')),
    sealed_secret: seal(secret, first, placeOf(clientId, id, 'secret')),
  };
}

function unsealWithAny(sealed: string, [first, ...others]: DerivedKeys, place: string): string {
  try {
    return unseal(sealed, first, place);
  } catch (error) {
    const [second, ...more] = others;
    if (second === undefined || !(error instanceof SealError)) throw error;
    return unsealWithAny(sealed, [second, ...more], place);
  }
}

function placeOf(clientId: number, webhookId: string, field: 'url' | 'secret' | 'next-secret'): string {
  return `client/${clientId}/webhook/${webhookId}/${field}`;
}

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { WebhookMessage, WebhookOrder, WebhookSubscription } from '#records/types.ts';
import { type DerivedKeys, seal, unseal } from './keys.ts';

/** Beyond these, in seconds, a delivery is marked: time since the receipt of its content, and the age of that at its receipt. */
export type ContentLimits = Pick<WebhookSubscription, 'max_age_seconds' | 'max_delay_seconds'>;

const WRONG_SECRET = 'the signing secret must have exactly 32 characters';
/** Types of messages that a subscription may select. */
export const WEBHOOK_TYPES = ['incident', 'event', 'alert'] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** The fields of a client's webhook (spec, "Webhook test"). */
export const webhookInput = z.object({
  url: z
    .url({ protocol: /^https$/, error: 'the address must be a valid https URL' })
    .max(1024, 'the address may have at most 1024 characters'),
  secret: z.string(WRONG_SECRET).length(32, WRONG_SECRET),
});

/** The address and secret of a webhook in clear text. Never log them. */
export type OpenedWebhook = z.output<typeof webhookInput>;

/** Creates a subscription with a new id, and seals its address and secret. `key`: that for the purpose `webhooks`. Default: the contract's messages. */
export function sealWebhook(
  clientId: number,
  { url, secret }: OpenedWebhook,
  key: Buffer,
  options: Pick<WebhookSubscription, 'created_at'> & Partial<WebhookSubscription>,
): WebhookSubscription {
  const id = randomBytes(6).toString('hex');
  return {
    id,
    sealed_url: seal(url, key, contextOf(clientId, id, 'url')),
    sealed_secret: seal(secret, key, contextOf(clientId, id, 'secret')),
    sealed_next_secret: null,
    types: null,
    latest_only: false,
    max_age_seconds: null,
    max_delay_seconds: null,
    orders: [],
    format: null,
    template: null,
    ...options,
  };
}

/** Returns the subscription with a next secret. Its receiver must accept both until `adoptSecret`. */
export function proposeSecret(
  clientId: number,
  webhook: WebhookSubscription,
  secret: string,
  key: Buffer,
): WebhookSubscription {
  const sealed_next_secret = seal(secret, key, contextOf(clientId, webhook.id, 'next-secret'));
  return { ...webhook, sealed_next_secret };
}

/** Returns the subscription with its next secret as its secret; null if none was proposed. Throws `SealError`. */
export function adoptSecret(
  clientId: number,
  webhook: WebhookSubscription,
  keys: DerivedKeys,
): WebhookSubscription | null {
  const { id, sealed_next_secret: sealed } = webhook;
  if (sealed === null) return null;
  const secret = unseal(sealed, keys, contextOf(clientId, id, 'next-secret'));
  const sealed_secret = seal(secret, keys[0], contextOf(clientId, id, 'secret'));
  return { ...webhook, sealed_secret, sealed_next_secret: null };
}

/** Opens a subscription with whichever key fits. Throws `SealError` when none does. */
export function openWebhook(
  clientId: number,
  { id, sealed_url, sealed_secret }: WebhookSubscription,
  keys: readonly Buffer[],
): OpenedWebhook {
  return {
    url: unseal(sealed_url, keys, contextOf(clientId, id, 'url')),
    secret: unseal(sealed_secret, keys, contextOf(clientId, id, 'secret')),
  };
}

/** Returns the subscription sealed with the first key, itself if it is; its id stays, and so its position. Throws `SealError`. */
export function resealWebhook(
  clientId: number,
  webhook: WebhookSubscription,
  keys: DerivedKeys,
): WebhookSubscription {
  const [first] = keys;
  const { id, sealed_next_secret: sealed } = webhook;
  const context = contextOf(clientId, id, 'next-secret');
  const open = (accepted: readonly Buffer[]) => ({
    ...openWebhook(clientId, webhook, accepted),
    next: sealed === null ? null : unseal(sealed, accepted, context),
  });
  try {
    open([first]);
    return webhook;
  } catch {
    const { url, secret, next } = open(keys);
    return {
      ...webhook,
      sealed_next_secret: next === null ? null : seal(next, first, context),
      sealed_url: seal(url, first, contextOf(clientId, id, 'url')),
      sealed_secret: seal(secret, first, contextOf(clientId, id, 'secret')),
    };
  }
}

function contextOf(clientId: number, webhookId: string, field: 'url' | 'secret' | 'next-secret'): string {
  return `client/${clientId}/webhook/${webhookId}/${field}`;
}

/** Maximum number of orders of a webhook that wait for a dispatcher. */
const MAX_WAITING = 20;

/** Returns a webhook's orders with another one, without those up to `applied`, the epoch of its progress; null if too many wait. */
export function withOrder(
  orders: readonly WebhookOrder[],
  applied: number,
  order: Omit<WebhookOrder, 'number'>,
): WebhookOrder[] | null {
  const waiting = orders.filter(({ number }) => number > applied);
  if (waiting.length >= MAX_WAITING) return null;
  return [...waiting, { ...order, number: (waiting.at(-1)?.number ?? applied) + 1 }];
}

export type SubscriptionFilter = {
  readonly competitions: ReadonlySet<number> | null;
  /** Types of messages; null: those of the provider's contract, incidents and events. */
  readonly types: ReadonlySet<string> | null;
};

/** Type of the messages of `touchline alerts`, which the provider's contract does not have. */
const ALERT = 'alert';

/** Whether a subscription receives a message. Only a subscription to all competitions receives one of an unknown competition. */
export function wants(
  { competitions, types }: SubscriptionFilter,
  { competition_id, type }: Pick<WebhookMessage, 'competition_id' | 'type'>,
): boolean {
  if (types === null ? type === ALERT : !types.has(type)) return false;
  return competitions === null || (competition_id !== null && competitions.has(competition_id));
}

import type { Client, WebhookSubscription } from '#records/types.ts';

/** Returns a record of client 1, which receives all of its competitions by one webhook. */
export const clientWith = (webhook: WebhookSubscription, version = 1): Client => ({
  client_id: 1,
  identity: '0123456789abcdef',
  name: 'a',
  active: true,
  secret_hash: '',
  competitions: null,
  operations: null,
  may_halt: false,
  webhooks: [webhook],
  version,
  updated_at: 0,
});

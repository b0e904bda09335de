import type { ClientDirectory } from '#clients/directory.ts';
import { type DerivedKeys, SealError } from '#clients/keys.ts';
import { resealWebhook } from '#clients/webhooks.ts';
import type { Client, WebhookSubscription } from '#records/types.ts';
import { CommandError } from '../../command.ts';

/**
 * Seals with the first key all webhooks that another key sealed. Returns their number; edits no other client. Throws
 * `CommandError`, after resealing the others, when no key opens some webhooks. Also throws what `ClientDirectory` throws.
 */
export async function resealWebhooks(directory: ClientDirectory, keys: DerivedKeys): Promise<number> {
  const unopened: string[] = [];
  let resealed = 0;
  for (const client of await directory.list()) {
    const before = new Set(client.webhooks);
    const changed = resealAll(client, keys, (id) => unopened.push(id)).filter((one) => !before.has(one));
    if (changed.length === 0) continue;
    await directory.edit(client.client_id, (known) => {
      const current = known ?? client;
      return { ...current, webhooks: resealAll(current, keys) };
    });
    resealed += changed.length;
  }
  if (unopened.length === 0) return resealed;
  throw new CommandError(
    `${resealed} webhooks were sealed again, no key opens ${unopened.join(', ')}: set CLIENTS_KEY_SECOND to the key that sealed them, or add them again`,
  );
}

/** Returns the webhooks of a client, sealed with the first key. Those that no key opens stay, and `onUnopened` gets their ids. */
function resealAll(
  client: Client,
  keys: DerivedKeys,
  onUnopened: (id: string) => void = () => {},
): WebhookSubscription[] {
  return client.webhooks.map((webhook) => {
    try {
      return resealWebhook(client.client_id, webhook, keys);
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      onUnopened(webhook.id);
      return webhook;
    }
  });
}

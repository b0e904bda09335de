import type { ClientDirectory } from '#clients/directory.ts';
import type { DerivedKeys } from '#clients/keys.ts';
import { SealError } from '#clients/sealing.ts';
import { resealWebhook } from '#clients/webhooks.ts';
import type { Client, WebhookSubscription } from '#topics/generated/types.ts';
import { CommandError } from '../../command.ts';

/**
 * Seals the webhooks of all clients with the first key; gives how many were sealed with another one. A client without such
 * webhooks is not edited. Throws `CommandError` once all others are done where no key opens some; as `ClientDirectory`.
 */
export async function resealWebhooks(directory: ClientDirectory, keys: DerivedKeys): Promise<number> {
  const closed: string[] = [];
  let resealed = 0;
  for (const client of await directory.list()) {
    const before = new Set(client.webhooks);
    const changed = resealAll(client, keys, (id) => closed.push(id)).filter((one) => !before.has(one));
    if (changed.length === 0) continue;
    await directory.edit(client.client_id, (known) => {
      const current = known ?? client;
      return { ...current, webhooks: resealAll(current, keys) };
    });
    resealed += changed.length;
  }
  if (closed.length === 0) return resealed;
  throw new CommandError(
    `${resealed} webhooks were sealed again, no key opens ${closed.join(', ')}: set CLIENTS_KEY_SECOND to theirs, or add them again`,
  );
}

/** The webhooks of a client, sealed with the first key; those that no key opens as they are, `onClosed` gets their ids. */
function resealAll(
  client: Client,
  keys: DerivedKeys,
  onClosed: (id: string) => void = () => {},
): WebhookSubscription[] {
  return client.webhooks.map((webhook) => {
    try {
      return resealWebhook(client.client_id, webhook, keys);
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      onClosed(webhook.id);
      return webhook;
    }
  });
}

import type { ClientDirectory, ClientDraft } from '#clients/directory.ts';
import type { DerivedKeys } from '#clients/keys.ts';
import { SealError } from '#clients/sealing.ts';
import { openWebhook } from '#clients/webhooks.ts';
import type { Client, WebhookSubscription } from '#topics/generated/types.ts';
import { CommandError } from '../../command.ts';

/** Changes a client. Throws `CommandError` where there is none; as `ClientDirectory`. */
export function change(
  directory: ClientDirectory,
  id: number,
  edit: (client: Client) => ClientDraft,
): Promise<Client> {
  return directory.edit(id, (client) => edit(required(id, client)));
}

/** A client as it is now. Throws `CommandError` where there is none. */
export async function clientOf(directory: ClientDirectory, id: number): Promise<Client> {
  const all = await directory.list();
  return required(
    id,
    all.find(({ client_id }) => client_id === id),
  );
}

function required(id: number, client: Client | undefined): Client {
  if (client === undefined) throw new CommandError(`there is no client ${id}`);
  return client;
}

/** The address of a webhook; null where no key opens it, which keeps no command from showing its client. */
export function addressOf(
  clientId: number,
  webhook: WebhookSubscription,
  keys: DerivedKeys | null,
): string | null {
  try {
    return keys === null ? null : openWebhook(clientId, webhook, keys).url;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

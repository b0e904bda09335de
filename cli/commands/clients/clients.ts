/** What the actions of clients and webhooks share: the directory, and its clients. */
import { ClientDirectory, type ClientDraft } from '#clients/directory.ts';
import { type DerivedKeys, SealError } from '#clients/keys.ts';
import { openWebhook } from '#clients/webhooks.ts';
import type { Client, WebhookSubscription } from '#records/types.ts';
import { commandLog, findClusterWith, type OpenCluster } from '../../cluster.ts';
import { CommandError } from '../../command.ts';

/** Prints what `perform` returns of the clients. Returns the exit code. */
export async function onClients(
  perform: (directory: ClientDirectory, cluster: OpenCluster) => Promise<string>,
): Promise<number> {
  const cluster = await findClusterWith(['clients']);
  const directory = new ClientDirectory('clients', { ...cluster, log: commandLog('clients') });
  process.stdout.write(await perform(directory, cluster));
  return 0;
}

/** Edits a client. Throws `CommandError` when it does not exist, and what `ClientDirectory` throws. */
export function editClient(directory: ClientDirectory, id: number, edit: (client: Client) => ClientDraft) {
  return directory.edit(id, (client) => edit(requireClient(id, client)));
}

/** Returns a client. Throws `CommandError` when it does not exist, and what `ClientDirectory` throws. */
export async function findClient(directory: ClientDirectory, id: number): Promise<Client> {
  const client = (await directory.list()).find(({ client_id }) => client_id === id);
  return requireClient(id, client);
}

function requireClient(id: number, client: Client | undefined): Client {
  if (client === undefined) throw new CommandError(`there is no client ${id}`);
  return client;
}

/** Returns the items of an option; null for all, the default. */
export function listed<T>(items: T[] | 'all' = 'all'): T[] | null {
  return items === 'all' ? null : items;
}

/** Returns the address of a webhook; null when no key opens it. */
export function addressOf(clientId: number, webhook: WebhookSubscription, keys: DerivedKeys | null) {
  try {
    return keys === null ? null : openWebhook(clientId, webhook, keys).url;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

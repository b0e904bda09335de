import type { ClientDirectory, ClientDraft } from '#clients/directory.ts';
import type { Client } from '#topics/generated/types.ts';
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

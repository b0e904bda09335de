import { hashSecret, newSecret } from '#clients/keys.ts';
import { isOperationName } from '#contract/rest/operations.ts';
import type { Client } from '#records/types.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { type TextColumn, tableText } from '../../table.ts';
import { escapeLine } from '../../values.ts';
import { editClient, findClient, listed, onClients } from './clients.ts';
import type * as commands from './command.ts';
import { details, actions as webhookActions } from './webhooks.ts';

export const actions = {
  add: (...[options]: GivenTo<typeof commands.add>) => {
    const { id: given, name, competitions, operations, mayHalt } = options;
    requireOperations(operations);
    return onClients(async (directory) => {
      const secret = newSecret();
      const secret_hash = hashSecret(secret);
      const id = given ?? Math.max(0, ...(await directory.list()).map(({ client_id }) => client_id)) + 1;
      const client = await directory.edit(id, (known) => {
        if (known !== undefined) throw new CommandError(`there is a client ${id} already`);
        return {
          client_id: id,
          name: name ?? `client ${id}`,
          active: true,
          secret_hash,
          competitions: listed(competitions),
          operations: listed(operations),
          may_halt: mayHalt === 'yes',
          webhooks: [],
        };
      });
      return credentials(client, secret);
    });
  },
  list: (...[{ json }]: GivenTo<typeof commands.list>) =>
    onClients(async (directory) => {
      const all = await directory.list();
      if (all.length === 0) await directory.requireReadable();
      if (json === true) return all.map((client) => `${JSON.stringify(publicFields(client))}\n`).join('');
      return all.length === 0 ? 'there are no clients\n' : tableText(COLUMNS, all);
    }),
  show: (...[id, { json }]: GivenTo<typeof commands.show>) =>
    onClients(async (directory) => {
      const client = await findClient(directory, id);
      return json === true ? `${JSON.stringify(publicFields(client))}\n` : details(client);
    }),
  enable: (...[id]: GivenTo<typeof commands.enable>) => setActive(id, true),
  disable: (...[id]: GivenTo<typeof commands.disable>) => setActive(id, false),
  'rotate-secret': (...[id]: GivenTo<typeof commands.rotateSecret>) =>
    onClients(async (directory) => {
      const secret = newSecret();
      const secret_hash = hashSecret(secret);
      return credentials(await editClient(directory, id, (known) => ({ ...known, secret_hash })), secret);
    }),
  contract: (...[id, options]: GivenTo<typeof commands.contract>) => {
    if (Object.keys(options).length === 0)
      throw new UsageError('name --competitions, --operations or --may-halt');
    const { competitions, operations, mayHalt } = options;
    requireOperations(operations);
    return onClients(async (directory) =>
      details(
        await editClient(directory, id, (client) => ({
          ...client,
          competitions: competitions === undefined ? client.competitions : listed(competitions),
          operations: operations === undefined ? client.operations : listed(operations),
          may_halt: mayHalt === undefined ? client.may_halt : mayHalt === 'yes',
        })),
      ),
    );
  },
  ...webhookActions,
};

function requireOperations(names: string[] | 'all' | undefined): void {
  const unknown = listed(names)?.find((name) => !isOperationName(name));
  if (unknown !== undefined)
    throw new UsageError(`there is no operation ${JSON.stringify(unknown)}; see /openapi.json`);
}

function setActive(id: number, active: boolean): Promise<number> {
  return onClients(async (directory) =>
    tableText(COLUMNS, [await editClient(directory, id, (known) => ({ ...known, active }))]),
  );
}

function credentials({ client_id, name }: Client, secret: string): string {
  return `client_id ${client_id} (${escapeLine(name)})\nsecret_key ${secret}\n`;
}

function publicFields({ secret_hash: _, webhooks, ...client }: Client): object {
  return { ...client, webhooks: webhooks.map(({ id }) => id) };
}

const COLUMNS: readonly TextColumn<Client>[] = [
  { head: 'client', align: 'right', of: ({ client_id }) => client_id },
  { head: 'state', of: ({ active }) => (active ? 'active' : { text: 'disabled', style: 'yellow' }) },
  { head: 'competitions', align: 'right', of: ({ competitions }) => competitions?.length ?? 'all' },
  { head: 'operations', align: 'right', of: ({ operations }) => operations?.length ?? 'all' },
  { head: 'webhooks', align: 'right', of: ({ webhooks }) => webhooks.length },
  { head: 'name', minWidth: 8, of: ({ name }) => name },
];

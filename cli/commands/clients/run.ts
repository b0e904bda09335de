import { ClientDirectory } from '#clients/directory.ts';
import { hashSecret, newSecret } from '#clients/keys.ts';
import { isOperationName } from '#contract/rest/operations.ts';
import type { Client } from '#records/types.ts';
import { findTopics } from '#topics/admin.ts';
import {
  commandLog,
  findClusterWith,
  findWebhookKeys,
  type OpenCluster,
  platformName,
  requireConfirmed,
  requireWebhookKeys,
} from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { type TextColumn, tableText } from '../../table.ts';
import { escapeLine } from '../../values.ts';
import { limitWords, WebhookTopics } from '../webhooks/topics.ts';
import type * as commands from './command.ts';
import {
  addressOf,
  addWebhook,
  editClient,
  findClient,
  findWebhook,
  listed,
  requireForm,
  resealWebhooks,
  rotateWebhookSecret,
  testWebhook,
} from './webhooks.ts';

export const actions = {
  add: (...[options]: GivenTo<typeof commands.add>) => {
    requireOperations(options.operations);
    return onClients((directory) => add(directory, options));
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
  'webhook add': (...[id, options]: GivenTo<typeof commands.webhookAdd>) => {
    const form = requireForm(options);
    return onClients((directory) => addWebhook(directory, id, options, form));
  },
  'webhook rotate-secret': (...[id, webhookId, options]: GivenTo<typeof commands.webhookRotateSecret>) =>
    onClients((directory) => rotateWebhookSecret(directory, id, webhookId, options)),
  'webhook test': (...[id, webhookId]: GivenTo<typeof commands.webhookTest>) =>
    onClients(async (directory) => testWebhook(await findClient(directory, id), webhookId)),
  'webhook remove': (...[id, webhookId, { yes }]: GivenTo<typeof commands.webhookRemove>) =>
    onClients(async (directory, cluster) => {
      findWebhook(await findClient(directory, id), webhookId);
      if (yes !== true) {
        const pending = await pendingOf(cluster, webhookId);
        const loss = `webhook ${webhookId} of client ${id} would be deleted, and ${pending} pending messages never sent`;
        requireConfirmed(cluster, yes, loss);
      }
      const client = await editClient(directory, id, (known) => {
        const removed = findWebhook(known, webhookId);
        return { ...known, webhooks: known.webhooks.filter((one) => one !== removed) };
      });
      return `${platformName(cluster)}:\n${details(client)}`;
    }),
  'webhook reseal': () =>
    onClients(async (directory) => {
      const count = await resealWebhooks(directory, requireWebhookKeys(process.env));
      return `${count} webhooks were sealed again\n`;
    }),
};

function requireOperations(names: string[] | 'all' | undefined): void {
  const unknown = listed(names)?.find((name) => !isOperationName(name));
  if (unknown !== undefined)
    throw new UsageError(`there is no operation ${JSON.stringify(unknown)}; see /openapi.json`);
}

async function onClients(
  perform: (directory: ClientDirectory, cluster: OpenCluster) => Promise<string>,
): Promise<number> {
  const cluster = await findClusterWith(['clients']);
  const directory = ClientDirectory.open({ ...cluster, log: commandLog('clients') });
  process.stdout.write(await perform(directory, cluster));
  return 0;
}

/** Returns the number of pending messages of a webhook; 0 before a dispatcher has seen it. */
async function pendingOf(cluster: OpenCluster, webhookId: string): Promise<number> {
  if (!(await findTopics(cluster)).has('webhook-progress')) return 0;
  const topics = new WebhookTopics(cluster);
  const row = (await topics.rows()).find(({ id }) => id === webhookId);
  return row === undefined ? 0 : (await topics.pending(row)).length;
}

function setActive(id: number, active: boolean): Promise<number> {
  return onClients(async (directory) =>
    tableText(COLUMNS, [await editClient(directory, id, (known) => ({ ...known, active }))]),
  );
}

async function add(
  directory: ClientDirectory,
  { id, name, competitions, operations, mayHalt }: GivenTo<typeof commands.add>[0],
): Promise<string> {
  const secret = newSecret();
  const secret_hash = hashSecret(secret);
  const clientId = id ?? Math.max(0, ...(await directory.list()).map(({ client_id }) => client_id)) + 1;
  const client = await directory.edit(clientId, (known) => {
    if (known !== undefined) throw new CommandError(`there is a client ${clientId} already`);
    return {
      client_id: clientId,
      name: name ?? `client ${clientId}`,
      active: true,
      secret_hash,
      competitions: listed(competitions),
      operations: listed(operations),
      may_halt: mayHalt === 'yes',
      webhooks: [],
    };
  });
  return credentials(client, secret);
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

function details(client: Client): string {
  const { client_id, name, active, competitions, operations, may_halt, version, updated_at } = client;
  return [
    `client ${client_id} (${escapeLine(name)}), ${active ? 'active' : 'disabled'}`,
    `competitions: ${competitions?.join(', ') ?? 'all'}`,
    `operations: ${operations?.join(', ') ?? 'all'}`,
    ...(may_halt ? ['may halt trading by hand on the board'] : []),
    ...webhookLines(client),
    `version ${version}, ${new Date(updated_at).toISOString()}`,
    '',
  ].join('\n');
}

function webhookLines({ client_id, webhooks }: Client): string[] {
  if (webhooks.length === 0) return [];
  const keys = findWebhookKeys(process.env);
  return webhooks.map((webhook) => {
    const { id, types, latest_only, format } = webhook;
    const limits = limitWords(webhook);
    const url = addressOf(client_id, webhook, keys);
    // The path of an address of Slack or Teams is a secret.
    const shown = url !== null && format !== null ? `${URL.parse(url)?.origin ?? ''}/…` : url;
    const address =
      keys === null ? '' : `: ${shown === null ? 'sealed with another key' : escapeLine(shown)}`;
    const only = types === null ? '' : ` (only ${types.join(', ')})`;
    const form = format === null ? only : ` (alerts as ${format})`;
    return `webhook ${id}${address}${form}${latest_only ? ', latest states only' : ''}${limits === null ? '' : `, marked beyond ${limits}`}`;
  });
}

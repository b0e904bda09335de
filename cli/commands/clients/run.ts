import { ClientDirectory } from '#clients/directory.ts';
import { hashSecret, newSecret } from '#clients/secret.ts';
import type { Client } from '#records/types.ts';
import {
  commandLog,
  findClusterWith,
  findWebhookKeys,
  type OpenCluster,
  platformName,
  requireConfirmed,
  requireWebhookKeys,
} from '../../cluster.ts';
import { type ArgumentsOf, CommandError } from '../../command.ts';
import { type TextColumn, tableText } from '../../table.ts';
import { escapeLine } from '../../values.ts';
import { limitWords } from '../webhooks/lines.ts';
import { WebhookTopics } from '../webhooks/topics.ts';
import { type ClientsRequest, parseClients } from './arguments.ts';
import { addressOf, editClient, findClient } from './client.ts';
import type { command } from './command.ts';
import { resealWebhooks } from './reseal.ts';
import { addWebhook, findWebhook, rotateWebhookSecret, testWebhook } from './webhooks.ts';

export async function run(given: ArgumentsOf<typeof command>): Promise<number> {
  const request = parseClients(given);
  const cluster = await findClusterWith(['clients']);
  const directory = ClientDirectory.open({ ...cluster, log: commandLog('clients') });
  if (request.action === 'webhook remove') await requireRemovable(cluster, directory, request);
  const text = await perform(directory, request);
  process.stdout.write(request.action === 'webhook remove' ? `${platformName(cluster)}:\n${text}` : text);
  return 0;
}

/** Throws `CommandError` when the webhook does not exist, or the operator has not confirmed that its messages are lost. */
async function requireRemovable(
  cluster: OpenCluster,
  directory: ClientDirectory,
  { id, webhookId, yes }: Extract<ClientsRequest, { action: 'webhook remove' }>,
): Promise<void> {
  findWebhook(await findClient(directory, id), webhookId);
  if (yes === true) return;
  const pending = await new WebhookTopics(cluster).pendingOf(webhookId);
  requireConfirmed(
    cluster,
    yes,
    `webhook ${webhookId} of client ${id} would be deleted, and ${pending} pending messages never sent`,
  );
}

async function perform(directory: ClientDirectory, request: ClientsRequest): Promise<string> {
  switch (request.action) {
    case 'add':
      return add(directory, request);
    case 'list': {
      const all = await directory.list();
      if (all.length === 0) await directory.requireReadable();
      if (all.length === 0 && !request.json) return 'there are no clients\n';
      if (!request.json) return tableText(COLUMNS, all);
      return all.map((client) => `${JSON.stringify(publicFields(client))}\n`).join('');
    }
    case 'show': {
      const client = await findClient(directory, request.id);
      return request.json ? `${JSON.stringify(publicFields(client))}\n` : details(client);
    }
    case 'enable':
    case 'disable': {
      const active = request.action === 'enable';
      return `${line(await editClient(directory, request.id, (client) => ({ ...client, active })))}\n`;
    }
    case 'rotate-secret': {
      const secret = newSecret();
      const secret_hash = hashSecret(secret);
      const client = await editClient(directory, request.id, (known) => ({ ...known, secret_hash }));
      return credentials(client, secret);
    }
    case 'contract':
      return details(
        await editClient(directory, request.id, (client) => ({
          ...client,
          competitions: request.competitions === undefined ? client.competitions : request.competitions,
          operations: request.operations === undefined ? client.operations : request.operations,
          may_halt: request.mayHalt ?? client.may_halt,
        })),
      );
    case 'webhook add':
      return addWebhook(directory, request);
    case 'webhook rotate-secret':
      return rotateWebhookSecret(directory, request);
    case 'webhook test':
      return testWebhook(await findClient(directory, request.id), request.webhookId);
    case 'webhook remove':
      return details(
        await editClient(directory, request.id, (client) => {
          const removed = findWebhook(client, request.webhookId);
          return { ...client, webhooks: client.webhooks.filter((one) => one !== removed) };
        }),
      );
    case 'webhook reseal':
      return `${await resealWebhooks(directory, requireWebhookKeys(process.env))} webhooks were sealed again\n`;
  }
}

async function add(
  directory: ClientDirectory,
  { id, name, competitions, operations, mayHalt }: Extract<ClientsRequest, { action: 'add' }>,
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
      competitions: competitions ?? null,
      operations: operations ?? null,
      may_halt: mayHalt ?? false,
      webhooks: [],
    };
  });
  return credentials(client, secret);
}

function credentials({ client_id, name }: Client, secret: string): string {
  return `client_id ${client_id} (${escapeLine(name)})\nsecret_key ${secret}\n`;
}

/** Returns a client without secrets. */
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

function line({ client_id, name, active, competitions, operations }: Client): string {
  const contract = `${amount(competitions, 'competitions')}, ${amount(operations, 'operations')}`;
  return `${String(client_id).padStart(6)}  ${active ? 'active  ' : 'disabled'}  ${contract}  ${escapeLine(name)}`;
}

function details(client: Client): string {
  const { competitions, operations, may_halt, version, updated_at } = client;
  return [
    line(client).trim(),
    `competitions: ${competitions?.join(', ') ?? 'all'}`,
    `operations: ${operations?.join(', ') ?? 'all'}`,
    ...(may_halt ? ['may halt trading by hand on the board'] : []),
    ...webhookLines(client),
    `version ${version}, ${new Date(updated_at).toISOString()}`,
    '',
  ].join('\n');
}

/** Lists the webhooks of a client, with their addresses when the clients' key is available. */
function webhookLines({ client_id, webhooks }: Client): string[] {
  if (webhooks.length === 0) return [];
  const keys = findWebhookKeys(process.env);
  return webhooks.map((webhook) => {
    const { id, types, latest_only, format } = webhook;
    const limits = limitWords(webhook);
    const url = addressOf(client_id, webhook, keys);
    const shown = url !== null && format !== null ? withoutPath(url) : url;
    const address =
      keys === null ? '' : `: ${shown === null ? 'sealed with another key' : escapeLine(shown)}`;
    return `webhook ${id}${address}${formWords(types, format)}${latest_only ? ', latest states only' : ''}${limits === null ? '' : `, marked beyond ${limits}`}`;
  });
}

/** The path of an address of Slack or Teams is a secret. */
function withoutPath(url: string): string {
  return `${URL.parse(url)?.origin ?? ''}/…`;
}

function formWords(types: readonly string[] | null, format: string | null): string {
  if (format !== null) return ` (alerts as ${format})`;
  return types === null ? '' : ` (only ${types.join(', ')})`;
}

function amount(list: readonly unknown[] | null, of: string): string {
  return list === null ? `all ${of}` : `${list.length} ${of}`;
}

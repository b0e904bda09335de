/** Adds, tests and removes webhooks of a client, and rotates their secrets. */

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { ClientDirectory } from '#clients/directory.ts';
import { type DerivedKeys, newSecret, SealError } from '#clients/keys.ts';
import {
  adoptSecret,
  type OpenedWebhook,
  openWebhook,
  proposeSecret,
  resealWebhook,
  sealWebhook,
  WEBHOOK_TYPES,
  type WebhookType,
  webhookInput,
} from '#clients/webhooks.ts';
import { type DeliveryOutcome, probeEndpoint, refusalOfAddress } from '#outbound/endpoint.ts';
import { outboundSettings } from '#outbound/settings.ts';
import type { Client, WebhookSubscription } from '#records/types.ts';
import { readSecret } from '#security/secret.ts';
import { loadConfig } from '#service/config.ts';
import { findTopics } from '#topics/admin.ts';
import { type AlertForm, alertBody, checkTemplate, SAMPLE_ALERT } from '#webhooks/alert-formats.ts';
import {
  findWebhookKeys,
  type OpenCluster,
  platformName,
  requireConfirmed,
  requireWebhookKeys,
} from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { escapeLine } from '../../values.ts';
import { limitWords, webhookTopics } from '../webhooks/topics.ts';
import { addressOf, editClient, findClient, listed, onClients } from './clients.ts';
import type * as commands from './command.ts';

const settings = z.object(outboundSettings);

export const actions = {
  'webhook add': (...[id, options]: GivenTo<typeof commands.webhookAdd>) => {
    const { url, secretFile, template: file, test, maxAgeSeconds, maxDelaySeconds } = options;
    const { types, latestOnly, format } = requireForm(options);
    return onClients(async (directory) => {
      const template = file === undefined ? null : readTemplate(file);
      const given = secretFile === undefined ? newSecret() : await readGivenSecret(secretFile);
      const checked = webhookInput.safeParse({ url, secret: given });
      if (!checked.success) throw new UsageError(checked.error.issues[0]?.message ?? 'invalid webhook');
      const [key] = requireWebhookKeys(process.env);
      if (test) await requireAccepted({ ...checked.data, format, template });
      const webhook = sealWebhook(id, checked.data, key, {
        types,
        latest_only: latestOnly,
        max_age_seconds: maxAgeSeconds ?? null,
        max_delay_seconds: maxDelaySeconds ?? null,
        created_at: Date.now(),
        format,
        template,
      });
      await editClient(directory, id, (client) => ({ ...client, webhooks: [...client.webhooks, webhook] }));
      const secret = format === null ? `signing secret ${given}\n` : '';
      return `webhook ${webhook.id} of client ${id}\n${secret}${test ? '' : await warningOf(checked.data.url)}`;
    });
  },
  'webhook rotate-secret': (...[id, webhookId, { finish }]: GivenTo<typeof commands.webhookRotateSecret>) =>
    onClients(async (directory) => {
      const keys = requireWebhookKeys(process.env);
      const secret = newSecret();
      await editClient(directory, id, (client) => {
        const webhook = findWebhook(client, webhookId);
        if (webhook.format !== null)
          throw new CommandError(`webhook ${webhook.id} is not signed: add another one, and remove it`);
        const next = finish ? adoptSecret(id, webhook, keys) : proposeSecret(id, webhook, secret, keys[0]);
        if (next === null)
          throw new CommandError(`webhook ${webhook.id} has no next secret: first run this without --finish`);
        return { ...client, webhooks: client.webhooks.map((one) => (one === webhook ? next : one)) };
      });
      return finish
        ? `webhook ${webhookId} is signed with the next secret from now on: its receiver may drop the previous one\n`
        : `next signing secret ${secret}\nOnce its receiver accepts both: npx touchline clients webhook rotate-secret ${id} ${webhookId} --finish\n`;
    }),
  'webhook test': (...[id, webhookId]: GivenTo<typeof commands.webhookTest>) =>
    onClients(async (directory) => {
      const webhook = findWebhook(await findClient(directory, id), webhookId);
      await requireAccepted({ ...webhook, ...openWebhook(id, webhook, requireWebhookKeys(process.env)) });
      return `webhook ${webhook.id} accepts ${webhook.format === null ? 'signed deliveries' : 'alerts'}\n`;
    }),
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

/** Returns the number of pending messages of a webhook; 0 before a dispatcher has seen it. */
async function pendingOf(cluster: OpenCluster, webhookId: string): Promise<number> {
  if (!(await findTopics(cluster)).has('webhook-progress')) return 0;
  const topics = webhookTopics(cluster);
  const row = (await topics.rows()).find(({ id }) => id === webhookId);
  return row === undefined ? 0 : (await topics.pending(row, 0)).count;
}

/** Returns types and form of a new webhook. Throws `UsageError` for options that do not go together. */
function requireForm(options: GivenTo<typeof commands.webhookAdd>[1]) {
  const { types: named, format = null, template, latestOnly = false, secretFile } = options;
  const types = listed(named)?.map(webhookTypeOf) ?? null;
  if ((format === 'template') !== (template !== undefined))
    throw new UsageError('--format template and --template <file> go together');
  if (latestOnly && (format !== null || types?.includes('event') === false))
    throw new UsageError('--latest-only leaves out messages of the type event, and none is selected');
  if (format !== null && types?.some((type) => type !== 'alert') === true)
    throw new UsageError('--format is for alerts: leave --types out');
  if (format === 'pagerduty' && secretFile === undefined)
    throw new UsageError('PagerDuty needs its integration key: name the file with --secret-file');
  return { types: format === null ? types : ['alert' as const], latestOnly, format };
}

function webhookTypeOf(text: string): WebhookType {
  const type = WEBHOOK_TYPES.find((known) => known === text);
  if (type !== undefined) return type;
  throw new UsageError(`messages are of type ${WEBHOOK_TYPES.join(' or ')}, not ${JSON.stringify(text)}`);
}

/** Returns a line about an address that no dispatcher calls with these settings; empty for any other. */
async function warningOf(url: string): Promise<string> {
  const refusal = await refusalOfAddress(url, loadConfig(settings, process.env).WEBHOOK_ALLOWED_RANGES);
  if (refusal === null) return '';
  return refusal === 'credentials'
    ? 'warning: it will never be called: its address contains a user name or password\n'
    : 'warning: its address is not public: it is never called unless WEBHOOK_ALLOWED_RANGES of webhook-dispatcher includes it\n';
}

function readTemplate(file: string): string {
  try {
    const template = readFileSync(file, 'utf8');
    checkTemplate(template);
    return template;
  } catch (error) {
    throw new UsageError(`the template ${JSON.stringify(file)} cannot be used: ${(error as Error).message}`);
  }
}

/** Returns a webhook of a client. Throws `CommandError` when the client does not have it. */
function findWebhook(client: Client, webhookId: string): WebhookSubscription {
  const webhook = client.webhooks.find(({ id }) => id === webhookId);
  if (webhook !== undefined) return webhook;
  throw new CommandError(`client ${client.client_id} has no webhook ${escapeLine(webhookId)}`);
}

const OUTCOMES: Readonly<Record<Exclude<DeliveryOutcome['kind'], 'accepted'>, string>> = {
  timeout: 'no complete answer within 10 seconds',
  refused: 'the address is not public, and WEBHOOK_ALLOWED_RANGES does not include it',
  failed: 'the connection failed',
  status: 'the status is no success',
  unreadable: 'the answer could not be read',
  different: 'the answer is not the text Accepted',
};

/** Sends a signed empty delivery, or an alert of a test in the webhook's format. Throws `CommandError` when it is not accepted. */
async function requireAccepted(webhook: OpenedWebhook & AlertForm): Promise<void> {
  const config = loadConfig(settings, process.env);
  const { WEBHOOK_ALLOWED_RANGES: allowed, WEBHOOK_CA_FILE: ca } = config;
  const { url, secret, format } = webhook;
  const isContract = format === null;
  const outcome = await probeEndpoint(
    { url, secret, allowed, ca, proxy: config, isContract, now: Date.now },
    isContract ? undefined : alertBody(SAMPLE_ALERT, webhook),
  );
  if (outcome.kind === 'accepted') return;
  const more =
    outcome.kind === 'status' ? `: ${outcome.status}` : 'reason' in outcome ? `: ${outcome.reason}` : '';
  throw new CommandError(`the address does not accept deliveries: ${OUTCOMES[outcome.kind]}${more}`);
}

/**
 * Seals with the first key all webhooks that another key sealed. Returns their number; edits no other client. Throws
 * `CommandError`, after resealing the others, when no key opens some webhooks. Also throws what `ClientDirectory` throws.
 */
export async function resealWebhooks(directory: ClientDirectory, keys: DerivedKeys): Promise<number> {
  const unopened = new Set<string>();
  let resealed = 0;
  for (const client of await directory.list()) {
    const { client_id: id } = client;
    /** Returns a webhook of which no key opens every part as it is. */
    const reseal = (one: WebhookSubscription): WebhookSubscription => {
      try {
        return resealWebhook(id, one, keys);
      } catch (error) {
        if (!(error instanceof SealError)) throw error;
        unopened.add(one.id);
        return one;
      }
    };
    const changed = client.webhooks.filter((one) => reseal(one) !== one).length;
    if (changed === 0) continue;
    await directory.edit(id, (known = client) => ({ ...known, webhooks: known.webhooks.map(reseal) }));
    resealed += changed;
  }
  if (unopened.size === 0) return resealed;
  throw new CommandError(
    `${resealed} webhooks were sealed again, no key opens ${[...unopened].join(', ')}: set CLIENTS_KEY_SECOND to the key that sealed them, or add them again`,
  );
}

/** Reads a secret from a file, or from standard input when `file` is `-`; prompts on a terminal. Throws `SecretFileError`. */
async function readGivenSecret(file: string): Promise<string> {
  if (file !== '-') return readSecret({ file });
  const { stdin } = process;
  return stdin.isTTY ? ask('signing secret: ') : (await text(stdin)).replace(/\r?\n$/, '');
}

async function ask(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

/** Returns a client with its webhooks, without secrets, as text. */
export function details(client: Client): string {
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

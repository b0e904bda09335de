/** Adds and tests webhooks of a client, and rotates their secrets. */

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { ClientDirectory, ClientDraft } from '#clients/directory.ts';
import { type DerivedKeys, newSecret, SealError } from '#clients/keys.ts';
import {
  adoptSecret,
  openWebhook,
  proposeSecret,
  resealWebhook,
  sealWebhook,
  WEBHOOK_TYPES,
  type Webhook,
  type WebhookType,
  webhookInput,
} from '#clients/webhooks.ts';
import { type DeliveryOutcome, probeEndpoint, refusalOfAddress } from '#outbound/endpoint.ts';
import { outboundSettings } from '#outbound/settings.ts';
import type { Client, WebhookSubscription } from '#records/types.ts';
import { readSecret } from '#security/secret.ts';
import { loadConfig } from '#service/config.ts';
import { type AlertFormat, alertBody, checkTemplate, SAMPLE_ALERT } from '#webhooks/alert-formats.ts';
import { requireWebhookKeys } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { escapeLine } from '../../values.ts';
import type * as commands from './command.ts';

const settings = z.object(outboundSettings);

type AddOptions = GivenTo<typeof commands.webhookAdd>[1];

/** Returns types and form of a new webhook. Throws `UsageError` for options that do not go together. */
export function requireForm(options: AddOptions) {
  const { types: named, format = null, template, latestOnly = false } = options;
  const types = listed(named)?.map(webhookTypeOf) ?? null;
  if ((format === 'template') !== (template !== undefined))
    throw new UsageError('--format template and --template <file> go together');
  if (latestOnly && (format !== null || types?.includes('event') === false))
    throw new UsageError('--latest-only leaves out messages of the type event, and none is selected');
  if (format !== null && types?.some((type) => type !== 'alert') === true)
    throw new UsageError('--format is for alerts: leave --types out');
  return { types: format === null ? types : ['alert' as const], latestOnly, format };
}

function webhookTypeOf(text: string): WebhookType {
  const type = WEBHOOK_TYPES.find((known) => known === text);
  if (type !== undefined) return type;
  throw new UsageError(`messages are of type ${WEBHOOK_TYPES.join(' or ')}, not ${JSON.stringify(text)}`);
}

/** Creates a webhook; with `test`, only if its address accepts a delivery. Returns the output. */
export async function addWebhook(
  directory: ClientDirectory,
  id: number,
  options: AddOptions,
  { types, latestOnly, format }: ReturnType<typeof requireForm>,
): Promise<string> {
  const { url, secretFile, template, test } = options;
  if (format === 'pagerduty' && secretFile === undefined)
    throw new UsageError('PagerDuty needs its integration key: name the file with --secret-file');
  const form = { format, template: template === undefined ? null : readTemplate(template) };
  const given = secretFile === undefined ? undefined : await readGivenSecret(secretFile, 'signing secret: ');
  const checked = webhookInput.safeParse({ url, secret: given ?? newSecret() });
  if (!checked.success) throw new UsageError(checked.error.issues[0]?.message ?? 'invalid webhook');
  const [key] = requireWebhookKeys(process.env);
  if (test) await requireAccepted({ ...checked.data, ...form });
  const scope = { types, createdAt: Date.now(), latestOnly, limits: options, form };
  const webhook = sealWebhook(id, checked.data, key, scope);
  await editClient(directory, id, (client) => ({ ...client, webhooks: [...client.webhooks, webhook] }));
  const secret = format === null ? `signing secret ${checked.data.secret}\n` : '';
  return `webhook ${webhook.id} of client ${id}\n${secret}${test ? '' : await warningOf(checked.data.url)}`;
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

/** Sends a signed empty delivery to a webhook. Returns the output. Throws `CommandError` when it is not accepted. */
export async function testWebhook(client: Client, webhookId: string): Promise<string> {
  const webhook = findWebhook(client, webhookId);
  await requireAccepted(openWebhook(client.client_id, webhook, requireWebhookKeys(process.env)));
  return `webhook ${webhook.id} accepts ${webhook.format === null ? 'signed deliveries' : 'alerts'}\n`;
}

/** Proposes the next signing secret of a webhook, or with `finish` adopts the proposed one. Returns the output. */
export async function rotateWebhookSecret(
  directory: ClientDirectory,
  id: number,
  webhookId: string,
  { finish }: GivenTo<typeof commands.webhookRotateSecret>[2],
): Promise<string> {
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
}

/** Returns a webhook of a client. Throws `CommandError` when the client does not have it. */
export function findWebhook(client: Client, webhookId: string): WebhookSubscription {
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
async function requireAccepted({ url, secret, format, template }: Omit<Webhook, 'id'>): Promise<void> {
  const config = loadConfig(settings, process.env);
  const { WEBHOOK_ALLOWED_RANGES: allowed, WEBHOOK_CA_FILE: ca } = config;
  const body =
    format === null
      ? undefined
      : alertBody(SAMPLE_ALERT, { format: format as AlertFormat, template, secret });
  const outcome = await probeEndpoint(
    { url, secret, allowed, ca, proxy: config, isContract: format === null, now: Date.now },
    body,
  );
  if (outcome.kind === 'accepted') return;
  const more =
    outcome.kind === 'status' ? `: ${outcome.status}` : 'reason' in outcome ? `: ${outcome.reason}` : '';
  throw new CommandError(`the address does not accept deliveries: ${OUTCOMES[outcome.kind]}${more}`);
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

/**
 * Seals with the first key all webhooks that another key sealed. Returns their number; edits no other client. Throws
 * `CommandError`, after resealing the others, when no key opens some webhooks. Also throws what `ClientDirectory` throws.
 */
export async function resealWebhooks(directory: ClientDirectory, keys: DerivedKeys): Promise<number> {
  const unopened: string[] = [];
  let resealed = 0;
  for (const client of await directory.list()) {
    const { client_id: id } = client;
    /** Returns null for a webhook of which no key opens every part. */
    const reseal = (one: WebhookSubscription): WebhookSubscription | null => {
      try {
        return resealWebhook(id, one, keys);
      } catch (error) {
        if (error instanceof SealError) return null;
        throw error;
      }
    };
    const sealed = client.webhooks.map((one) => [one, reseal(one)] as const);
    unopened.push(...sealed.flatMap(([one, again]) => (again === null ? [one.id] : [])));
    const changed = sealed.filter(([one, again]) => again !== null && again !== one).length;
    if (changed === 0) continue;
    const all = ({ webhooks }: Client) => webhooks.map((one) => reseal(one) ?? one);
    await directory.edit(id, (known = client) => ({ ...known, webhooks: all(known) }));
    resealed += changed;
  }
  if (unopened.length === 0) return resealed;
  throw new CommandError(
    `${resealed} webhooks were sealed again, no key opens ${unopened.join(', ')}: set CLIENTS_KEY_SECOND to the key that sealed them, or add them again`,
  );
}

/** Reads a secret from a file, or from standard input when `file` is `-`; prompts on a terminal. Throws `SecretFileError`. */
async function readGivenSecret(file: string, prompt: string): Promise<string> {
  if (file !== '-') return readSecret({ file });
  const { stdin } = process;
  return stdin.isTTY ? ask(prompt) : (await text(stdin)).replace(/\r?\n$/, '');
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

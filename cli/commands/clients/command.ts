import { InvalidArgumentError, Option } from 'commander';
import { limitProblem } from '#trading/feed-status.ts';
import { ALERT_FORMATS } from '#webhooks/alert-formats.ts';
import { defineCommand, order, UsageError } from '../../command.ts';
import { parseId } from '../option-values.ts';

export const command = defineCommand('clients', {
  about: `The clients of the REST contract, its webhooks and its tool endpoint. They are stored on the topic clients; every
process that serves them applies a change at once. Several people may edit at the same time: no edit undoes another.`,
  examples: ['clients add --name desk --competitions 3100', 'clients show 1'],
});

const competitions = () =>
  new Option('--competitions <ids>', 'by id, as 1,2; or all').argParser(listOf(parseId));
const operations = () =>
  new Option('--operations <names>', 'by name, as events.index,feed.index; or all').argParser(listOf(String));
const mayHalt = () =>
  new Option('--may-halt <yes|no>', 'whether its sessions of the board may halt trading by hand').choices([
    'yes',
    'no',
  ] as const);

export const add = order(command.command('add'))
  .description('creates a client and prints its secret key, which is shown only once')
  .option('--id <id>', 'default: one more than the largest', parseId)
  .option('--name <name>')
  .addOption(competitions())
  .addOption(operations())
  .addOption(mayHalt());

export const list = command.command('list').description('shows clients, without secrets').option('--json');

export const show = command
  .command('show')
  .description('shows a client, without its secrets')
  .argument('<id>', '', parseId)
  .option('--json');

export const enable = order(command.command('enable'))
  .description('accepts a disabled client again')
  .argument('<id>', '', parseId);

export const disable = order(command.command('disable'))
  .description('refuses the client, and makes its tokens invalid at once')
  .argument('<id>', '', parseId);

export const rotateSecret = order(command.command('rotate-secret'))
  .description('prints a new secret key, shown only once; issued tokens stay valid until they expire')
  .argument('<id>', '', parseId);

export const contract = order(command.command('contract'))
  .description('sets what the client may read: competitions and operations (see /openapi.json)')
  .argument('<id>', '', parseId)
  .addOption(competitions())
  .addOption(operations())
  .addOption(mayHalt());

const NOTES = `
They need the key of clients: CLIENTS_KEY as the services have it, or, for the system
that touchline up or demo runs here, the key that it keeps in DATA_DIR. Tests go to
public addresses and those of WEBHOOK_ALLOWED_RANGES, and also trust the certificates
of WEBHOOK_CA_FILE.`;

const webhook = command
  .command('webhook')
  .description('adds, tests, removes and reseals webhooks')
  .addHelpText('after', NOTES);

const SECRET_FILE = `has the signing secret of 32 characters (-: standard input, or a prompt); without it, a new secret is printed, \
which is shown only once`;
const FORMAT = `sends alerts, one a request, to receivers that do not speak the contract: Slack, Teams, PagerDuty (the integration \
key is the secret), or with the body of --template`;

export const webhookAdd = order(webhook.command('add'))
  .description('sends messages that the contract covers to an address from now on')
  .argument('<id>', 'of the client', parseId)
  .requiredOption('--url <address>', 'https address')
  .option('--secret-file <file>', SECRET_FILE)
  .addOption(
    new Option('--secret <text>').hideHelp().argParser((): never => {
      throw new UsageError('--secret would show the secret to every user of this machine: use --secret-file');
    }),
  )
  .option('--types <types>', 'incident, event, alert, or all; default: incidents and events', listOf(String))
  .option('--latest-only', 'leaves out a state (type event) while a newer one of its match waits')
  .option('--max-age-seconds <n>', 'marks deliveries whose content was received longer ago', limitOf)
  .option('--max-delay-seconds <n>', 'marks deliveries whose content was older at its receipt', limitOf)
  .addOption(new Option('--format <format>', FORMAT).choices(ALERT_FORMATS))
  .option('--template <file>', 'JSON body of --format template')
  .option('--test', 'adds it only if the address accepts a signed empty delivery from here');

export const webhookRemove = order(webhook.command('remove'))
  .description('deletes a webhook with its pending messages; shows their number')
  .argument('<id>', 'of the client', parseId)
  .argument('<webhook id>')
  .option('--yes', 'deletes it');

export const webhookRotateSecret = order(webhook.command('rotate-secret'))
  .description('prints the next signing secret, which the receiver must accept beside the current one')
  .argument('<id>', 'of the client', parseId)
  .argument('<webhook id>', 'keeps its position and its pending messages')
  .option('--finish', 'signs with the next secret');

export const webhookTest = webhook
  .command('test')
  .description('sends a signed empty delivery from here')
  .argument('<id>', 'of the client', parseId)
  .argument('<webhook id>');

export const webhookReseal = order(webhook.command('reseal')).description(
  'seals with CLIENTS_KEY what CLIENTS_KEY_SECOND opens; deliveries continue',
);

/** Returns a parser of items that are separated by commas. All are the word: commander puts an empty text in place of null. */
function listOf<T>(item: (text: string) => T): (text: string) => T[] | 'all' {
  return (text) => (text === 'all' ? text : text.split(',').map((part) => item(part.trim())));
}

function limitOf(text: string): number {
  const problem = limitProblem(Number(text));
  if (problem !== null) throw new InvalidArgumentError(`It ${problem}.`);
  return Number(text);
}

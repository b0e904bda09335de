/** `touchline clients`: the clients of the served contract, what they may read, and their webhooks. */
import { ALERT_FORMATS } from '#webhooks/alert-formats.ts';
import { BROKER_HELP, defineCommand } from '../../command.ts';
import { actionWords } from '../actions.ts';

const HELP = `Usage: touchline clients add [--id <id>] [--name <name>] [--competitions 1,2] [--operations events.index,feed.index] [--may-halt yes]
       touchline clients list [--json]
       touchline clients show <id> [--json]
       touchline clients enable <id> | disable <id>
       touchline clients rotate-secret <id>
       touchline clients contract <id> [--competitions 1,2 | all] [--operations events.index,feed.index | all] [--may-halt yes | no]
       touchline clients webhook add <id> --url <https address> [--secret-file <file>] [--types incident,event,alert | all] [--latest-only]
                 [--max-age-seconds 5] [--max-delay-seconds 5] [--test]
       touchline clients webhook add <id> --url <https address> --format slack|teams|pagerduty|template [--template <file>] [--secret-file <file>] [--test]
       touchline clients webhook remove <id> <webhook id> [--yes]
       touchline clients webhook rotate-secret <id> <webhook id> [--finish]
       touchline clients webhook test <id> <webhook id>
       touchline clients webhook reseal

The clients of the REST contract, its webhooks and its tool endpoint. They are stored on the topic clients; every process that
serves them applies a change at once. Several people may edit at the same time: no edit undoes another.

  add            creates a client and prints its secret key, which is shown only once. Default id: one more than the
                 largest. Default contract: all competitions, all operations
  list, show     shows clients, without their secrets
  enable         accepts a disabled client again
  disable        refuses the client, and makes its tokens invalid at once
  rotate-secret  prints a new secret key, which is shown only once; issued tokens stay valid until they expire
  contract       sets what the client may read: competitions by id, operations by name (see /openapi.json);
                 --may-halt yes lets its sessions of the board halt and resume trading by hand
  webhook add    sends messages that the contract covers to an address from now on: incidents and events, or the types of
                 --types. --secret-file has the signing secret of 32 characters (-: standard input, or a prompt); without it,
                 a new secret is printed, which is shown only once. --test adds the webhook only if the address accepts a
                 signed empty delivery from here. --latest-only leaves out a state (type event) while a newer one of its match
                 waits, as after an outage of the receiver; webhooks list counts them. --max-age-seconds and --max-delay-seconds
                 mark a delivery whose content was received longer ago, or was older at its receipt, by a header: nothing is left
                 out. --format sends alerts, one a request, to receivers that do not speak the
                 contract, and takes any status from 200 to 299: to an incoming webhook of Slack, a workflow of Teams, the Events
                 API v2 of PagerDuty, whose integration key is the secret, or with a JSON body of one's own (--template)
  webhook remove deletes a webhook with its pending messages. Shows their number; only with --yes deletes it
  webhook rotate-secret
                 prints the next signing secret, which the receiver must accept beside the current one; then --finish signs
                 with the next. The webhook keeps its id, its position and its pending messages
  webhook test   sends a signed empty delivery from here
  webhook reseal seals with CLIENTS_KEY what CLIENTS_KEY_SECOND opens; deliveries continue

webhook commands need the key of clients: CLIENTS_KEY as the services have it, or, for the system that touchline up or demo runs
here, the key that it keeps in DATA_DIR. Tests go to public addresses and those of WEBHOOK_ALLOWED_RANGES, and also trust the
certificates of WEBHOOK_CA_FILE.
${BROKER_HELP}
`;

/** Number of ids, and options, that each action takes. */
export const ACTIONS = {
  add: { words: 0, options: ['id', 'name', 'competitions', 'operations', 'may-halt'] },
  list: { words: 0, options: ['json'] },
  show: { words: 1, options: ['json'] },
  enable: { words: 1, options: [] },
  disable: { words: 1, options: [] },
  'rotate-secret': { words: 1, options: [] },
  contract: { words: 1, options: ['competitions', 'operations', 'may-halt'] },
  'webhook add': {
    words: 1,
    options: [
      'url',
      'secret',
      'secret-file',
      'types',
      'latest-only',
      'max-age-seconds',
      'max-delay-seconds',
      'format',
      'template',
      'test',
    ],
  },
  'webhook rotate-secret': { words: 2, options: ['finish'] },
  'webhook test': { words: 2, options: [] },
  'webhook remove': { words: 2, options: ['yes'] },
  'webhook reseal': { words: 0, options: [] },
} as const;

export const command = defineCommand({
  help: HELP,
  options: {
    id: { type: 'string' },
    name: { type: 'string' },
    competitions: { type: 'string' },
    operations: { type: 'string' },
    'may-halt': { type: 'string' },
    url: { type: 'string' },
    secret: { type: 'string' },
    'secret-file': { type: 'string' },
    types: { type: 'string' },
    'latest-only': { type: 'boolean' },
    'max-age-seconds': { type: 'string' },
    'max-delay-seconds': { type: 'string' },
    format: { type: 'string' },
    template: { type: 'string' },
    json: { type: 'boolean' },
    test: { type: 'boolean' },
    finish: { type: 'boolean' },
    yes: { type: 'boolean' },
  },
  choices: { format: ALERT_FORMATS, 'may-halt': ['yes', 'no'] },
  words: (before) => actionWords(ACTIONS, before),
  changes: ({ positionals: [action = '', sub] }) =>
    !['list', 'show'].includes(action) && !(action === 'webhook' && sub === 'test'),
});

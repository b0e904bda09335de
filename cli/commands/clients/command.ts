/** `touchline clients`: who may call the served contract, for what, and where its webhooks go. */
import { defineCommand } from '../../command.ts';
import { actionWords } from '../actions.ts';

const HELP = `Usage: touchline clients add [--id <id>] [--name <name>] [--competitions 1,2] [--operations events.index,feed.index]
       touchline clients list [--json]
       touchline clients show <id> [--json]
       touchline clients enable <id> | disable <id>
       touchline clients rotate-secret <id>
       touchline clients contract <id> [--competitions 1,2 | all] [--operations events.index,feed.index | all]
       touchline clients webhook add <id> --url <https address> [--secret-file <file>] [--types incident,event,alert | all] [--test]
       touchline clients webhook remove <id> <webhook id>
       touchline clients webhook rotate-secret <id> <webhook id> [--finish]
       touchline clients webhook test <id> <webhook id>
       touchline clients webhook reseal

The clients of the REST contract, its webhooks and its tool endpoint. They are on the topic clients; every process that
serves them applies a change at once. Several people may edit at the same time: no edit undoes another.

  add            makes a client and prints its secret key, which is shown this once; without --id the next free one.
                 Without --competitions or --operations its contract covers all of them.
  list, show     what is known of clients; secrets are not
  disable        makes its tokens invalid at once
  rotate-secret  prints a new secret key, which is shown this once; tokens that were issued stay good until they expire
  contract       what the client may see: competitions by id, operations by name (see /openapi.json)
  webhook add    sends it what its contract covers, incidents and events or the types named, from now on; --secret-file has
                 the signing secret of 32 characters (-: standard input, or a prompt), without it one is made and shown this once;
                 with --test only where the address takes a signed empty delivery, sent from here
  webhook rotate-secret
                 prints the next signing secret, for the receiver to accept beside the one in use; once it does, --finish signs
                 with the next. The webhook keeps its id, its position and what waits
  webhook test   sends a signed empty delivery from here
  webhook reseal seals with CLIENTS_KEY what CLIENTS_KEY_SECOND opens; deliveries continue where they are

webhook needs the key of clients: CLIENTS_KEY as the services have it, else, for the system that touchline up or demo runs here, the
one that it keeps in DATA_DIR. Tests go where WEBHOOK_ALLOWED_RANGES and WEBHOOK_CA_FILE let them. The broker is that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else the
one that touchline up or demo runs here.
`;

/** How many words and which options each action takes. */
export const ACTIONS = {
  add: { words: 0, options: ['id', 'name', 'competitions', 'operations'] },
  list: { words: 0, options: ['json'] },
  show: { words: 1, options: ['json'] },
  enable: { words: 1, options: [] },
  disable: { words: 1, options: [] },
  'rotate-secret': { words: 1, options: [] },
  contract: { words: 1, options: ['competitions', 'operations'] },
  'webhook add': { words: 1, options: ['url', 'secret', 'secret-file', 'types', 'test'] },
  'webhook rotate-secret': { words: 2, options: ['finish'] },
  'webhook test': { words: 2, options: [] },
  'webhook remove': { words: 2, options: [] },
  'webhook reseal': { words: 0, options: [] },
} as const;

export const command = defineCommand({
  help: HELP,
  options: {
    id: { type: 'string' },
    name: { type: 'string' },
    competitions: { type: 'string' },
    operations: { type: 'string' },
    url: { type: 'string' },
    secret: { type: 'string' },
    'secret-file': { type: 'string' },
    types: { type: 'string' },
    json: { type: 'boolean' },
    test: { type: 'boolean' },
    finish: { type: 'boolean' },
  },
  words: (before) => actionWords(ACTIONS, before),
  changes: ({ positionals: [action = '', sub] }) =>
    !['list', 'show'].includes(action) && !(action === 'webhook' && sub === 'test'),
});

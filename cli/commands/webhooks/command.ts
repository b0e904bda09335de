/** `touchline webhooks`: state of the deliveries to clients, and orders of operators. */
import { defineCommand } from '../../command.ts';
import { actionWords } from '../actions.ts';

const HELP = `Usage: touchline webhooks list [--json]
       touchline webhooks attempts [<id>] [--since <time>] [--limit 50] [--json]
       touchline webhooks undelivered <id> [--limit 50] [--json]
       touchline webhooks resend <id> --from <time>
       touchline webhooks skip <id> --before <time> | --message <uuid> [--yes]
       touchline webhooks enable <id> | disable <id>

How the webhooks of clients are delivered (touchline clients webhook makes them). An id may be cut short while it is
unambiguous; a time is as 2026-11-20T18:00:00Z, or as 2h for two hours ago.

  list         every webhook, with the client's name and, where the key of clients is at hand, its host: delivering, failing or disabled, since when, and when it is tried again
  attempts     the latest attempts and what was decided, of one webhook or of all, since a time (default: a day ago)
  undelivered  the first messages that a webhook was not sent yet, and how many there are
  resend       sends everything again that was composed since a time, at most seven days back, under the same ids, and
               what waits; a webhook that is disabled is enabled by it
  skip         gives up what waits and was composed before a time, or one message that the receiver cannot take: it is
               never sent. Shows how many these are; with --yes it does so. resend sends them after all
  enable       resumes at its last position, at once
  disable      sends nothing more; messages until it is enabled are sent then, unless they expire first

A running dispatcher applies an order at once, else the next one that starts. The broker is that of KAFKA_BROKERS and
SCHEMA_REGISTRY_URL, else the one that touchline up or demo runs here.
`;

/** How many ids and which options each action takes. */
export const ACTIONS = {
  list: { ids: [0], options: ['json'] },
  attempts: { ids: [0, 1], options: ['since', 'limit', 'json'] },
  undelivered: { ids: [1], options: ['limit', 'json'] },
  resend: { ids: [1], options: ['from'] },
  skip: { ids: [1], options: ['before', 'message', 'yes'] },
  enable: { ids: [1], options: [] },
  disable: { ids: [1], options: [] },
} as const;

export const command = defineCommand({
  help: HELP,
  options: {
    from: { type: 'string' },
    before: { type: 'string' },
    message: { type: 'string' },
    yes: { type: 'boolean' },
    since: { type: 'string' },
    limit: { type: 'string' },
    json: { type: 'boolean' },
  },
  words: (before) => actionWords(ACTIONS, before),
  changes: ({ positionals: [action = ''] }) => ['resend', 'skip', 'enable', 'disable'].includes(action),
});

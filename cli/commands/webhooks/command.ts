/** `touchline webhooks`: shows the deliveries to clients, and gives orders for them. */
import { BROKER_HELP, defineCommand } from '../../command.ts';
import { actionWords } from '../actions.ts';

const HELP = `Usage: touchline webhooks list [--json]
       touchline webhooks undelivered <id> [--limit 50] [--json]
       touchline webhooks resend <id> --from <time>
       touchline webhooks skip <id> --before <time> | --message <uuid> [--yes]
       touchline webhooks enable <id> | disable <id>

Shows and controls the delivery of webhooks to clients (touchline clients webhook creates webhooks). An id may be shortened to
four characters while it is unambiguous. A time is as 2026-11-20T18:00:00Z, or 2h for two hours ago.

  list         lists every webhook: client, host (when the key of clients is available), state, since when it fails, and
               when its next attempt is due; with the outcome of the last one
  undelivered  lists the first pending messages of a webhook, and prints their number
  resend       sends all messages again that were composed since a time, at most seven days ago, under the same ids, and
               then the pending ones; enables a disabled webhook
  skip         gives up pending messages that were composed before a time, or one message that the receiver cannot process.
               Shows their number; only with --yes gives them up. resend can still send them
  enable       resumes deliveries at the last position, at once
  disable      stops deliveries; messages that arrive meanwhile are sent once it is enabled, unless they expire first

A running dispatcher applies an order at once, otherwise the next one that starts does.
${BROKER_HELP}
`;

/** Numbers of ids, and options, that each action takes. */
export const ACTIONS = {
  list: { ids: [0], options: ['json'] },
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
    limit: { type: 'string' },
    json: { type: 'boolean' },
  },
  words: (before) => actionWords(ACTIONS, before),
  changes: ({ positionals: [action = ''] }) => ['resend', 'skip', 'enable', 'disable'].includes(action),
});

/** `touchline live`: shows the live matches, and which may be traded. */
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline live [--once] [--json]

Shows the live matches: minute, score, firm score, whether each may be traded and why not, and the time since its last message.
On a terminal it updates until Ctrl-C; in a pipe it prints once.

  --once  prints once, also on a terminal
  --json  prints one JSON value per match, once

Trading permission expires by itself: no match is safe two seconds after a source, feed health or the broker falls silent, even
without a record that says so (docs/guides/feed-health.md).

${BROKER_HELP}
`;

export const command = defineCommand({
  help: HELP,
  options: {
    once: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

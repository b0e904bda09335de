/** `touchline live`: the matches that are live now. */
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline live [--once] [--json]

Shows the matches that are live now: minute, score, firm score, what may be traded and why not, and how long ago the last message of
each was received. A terminal shows them until it is stopped; a pipe gets them once.

  --once  shows them once on a terminal too
  --json  one JSON value a match, once

What may be traded closes by itself: within two seconds of the silence of a source, of feed health or of the broker no match is
safe, without any record that says so (docs/guides/feed-health.md).

${BROKER_HELP}
`;

export const command = defineCommand({
  help: HELP,
  options: {
    once: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

/** `touchline match`: one match with its story. */
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline match <event id> [--follow] [--json]
       touchline match <event id> --at <time> [--json]

Shows one match: score and firm score, what may be traded, and its incidents with minute, running score, team and player, what
voided a goal, and when each was reported, confirmed or withdrawn.

  --follow     goes on: a terminal shows the page anew with each change, a pipe gets a line a change
  --at <time>  shows what had been published at that moment: score, firm score, guard, and the changes up to it;
               2026-11-21T18:00:00Z, or 90s, 30m, 2h, 7d for so long ago
  --json       one JSON value

--at goes by when records were written. Readers saw a record once its transaction was committed, milliseconds later. What
match-transitions no longer holds (retention), or match-state (compaction), is said to be missing: nothing is made up.

Ends with exit code 1 where the match is unknown here, or what had been published at the time is no longer held.
${BROKER_HELP}
`;

export const command = defineCommand({
  help: HELP,
  options: {
    follow: { type: 'boolean', default: false },
    at: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  words: () => [],
});

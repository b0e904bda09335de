/** `touchline match`: shows one match with its story. */
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline match <event id> [--follow] [--json]
       touchline match <event id> --at <time> [--json]

Shows one match: score, firm score, whether it may be traded, and its incidents with minute, running score, team and player, the
reason why a goal is void, and the times when each was reported, confirmed or withdrawn.

  --follow     keeps running: a terminal redraws the page with each change, a pipe gets a line per change
  --at <time>  shows what had been published at that time: score, firm score, guard, and the changes up to it;
               as 2026-11-21T18:00:00Z, or a duration ago as 90s, 30m, 2h, 7d
  --json       prints one JSON value: state, trading, feed, story (incidents), course (what could be traded over time, each score with
               the time from which it was known) and history (scores, guard, status, feed), as the page of the board

--at uses the times at which records were written. Readers see a record when its transaction is committed, milliseconds later.
Records that match-transitions (by retention) or match-state (by compaction) no longer holds are reported as missing.

Exit code 1 when the match is unknown here, or when what had been published at the time is no longer held.
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

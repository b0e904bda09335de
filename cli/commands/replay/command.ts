/** `touchline replay`: rebuilds everything from a log under another topic prefix, beside the running system. */
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline replay --into <prefix> [options]

Rebuilds match state, incidents, transitions, results and tables under another topic prefix, beside the running system, which
it does not touch. Two replays give the same bytes. Messages keep their times of receipt. Webhooks are not sent again.

  --into <prefix>      topic prefix to write to, which ends with a dot; its topics must be empty or missing
  --replace            deletes all topics of that prefix first, also clients, tokens, the raw log and orders. Shows how many
                       records they hold; only with --yes deletes them. Refused while something with that prefix runs (an
                       api or tool gateway leaves no trace on the brokers: stop it yourself)
  --yes                deletes the records of --replace
  --copy               derives nothing: copies the topics that a rebuild deletes, and those of tables, byte for byte, also what the
                       input no longer has; for reading, with TOPIC_PREFIX=<prefix>
  --source <topic>     normalized (default): normalized-messages, in the order of processing; or raw: raw-messages,
                       normalized again with the current rules
  --from <moment>      starts at the first record written then, e.g. 2026-11-21T18:00:00Z; default: the first record
  --to <moment>        ends before the first record written then; default: the last record when the replay starts
  --gaps <factor>      keeps the gaps between records, multiplied by the factor: 1 as recorded, 0.1 ten times as fast;
                       default: no gaps, at full speed
  --partitions <n>     partitions of new topics of a match; default: as many as those of the source
  --for-switch         also copies clients, their access tokens and the poller's checkpoints, for a system that will
                       continue with the new prefix

${BROKER_HELP}
TOPIC_PREFIX is the prefix of the source. RULES_DIR has the rules of competitions, as for the standings processor.
docs/guides/replay.md shows how to compare the result and to switch to it. Exit code 1 when the replay is not complete:
also where raw records that nobody can read were left out, each named on standard error.
`;

export const command = defineCommand({
  help: HELP,
  options: {
    into: { type: 'string' },
    replace: { type: 'boolean', default: false },
    yes: { type: 'boolean', default: false },
    source: { type: 'string', default: 'normalized' },
    from: { type: 'string' },
    to: { type: 'string' },
    gaps: { type: 'string' },
    copy: { type: 'boolean', default: false },
    'for-switch': { type: 'boolean', default: false },
    partitions: { type: 'string' },
  },
  choices: { source: ['normalized', 'raw'] },
  changes: () => true,
});

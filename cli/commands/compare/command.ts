/** `touchline compare`: compares what two topic prefixes hold. */
import { BROKER_HELP, defineCommand } from '../../command.ts';
import { LEVELS } from './fields.ts';

const HELP = `Usage: touchline compare <prefix a> <prefix b> [--level <level>] [--json]

Compares the match states, incidents, transitions, results and tables of two prefixes, read committed, up to the current ends of
the topics. Shows the first difference of each topic, field by field.

  --level bytes  compares every field
  --level log    (default) ignores what depends on the log and its transactions: partition and offset of causes; version,
                 cause and ut of tables; version and cause of results; whether a table or a result of a group that is gone was
                 there meanwhile
  --level state  ignores also what depends on the order of messages: version and cause of states and incidents, and all
                 transitions
  --json         prints one JSON value with the counts and the first differences

${BROKER_HELP}
Exit code: 0 same, 1 different, 2 comparison failed.
`;

export const command = defineCommand({
  help: HELP,
  options: {
    level: { type: 'string', default: 'log' },
    json: { type: 'boolean', default: false },
  },
  words: () => [],
  choices: { level: LEVELS },
  failedCode: 2,
});

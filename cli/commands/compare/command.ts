/** `touchline compare`: whether two prefixes hold the same. */

import { defineCommand } from '../../command.ts';
import { LEVELS } from './fields.ts';

const HELP = `Usage: touchline compare <prefix a> <prefix b> [--level <level>] [--json]

Says whether two prefixes hold the same match states, incidents, transitions, results and tables, read committed, up to their
ends as of now; and shows the first difference of each topic, field by field.

  --level bytes  every field
  --level log    (default) all but what names the log and its transactions: partition and offset of causes; version, cause and
                 ut of tables; version and cause of results
  --level state  also without version and cause of states and incidents, and without transitions: what does not depend on the
                 order of messages
  --json         one JSON value with the counts and the first differences

The broker is that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else the one that touchline up or demo runs here.
Exit code: 0 the same, 1 different, 2 could not be compared.
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

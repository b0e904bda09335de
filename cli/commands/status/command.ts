/** `touchline status`: one screen of a running system. */
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline status [--watch] [--json] [--metrics <address>[,<address>...]]

One screen of a running system: of each processor how many processes share it and how many records wait, how many dead letters
are open, and whether each source of messages is to be believed, all from the broker. Of processes whose metrics it is given, what they hold: tasks by state, restored and undecided records.

  --watch    again every 2 s, in a terminal, until Ctrl-C; elsewhere once
  --json     the same as JSON, once
  --metrics  addresses of METRICS_PORT, as http://localhost:9464

${BROKER_HELP}
`;

export const command = defineCommand({
  help: HELP,
  options: {
    watch: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    metrics: { type: 'string' },
  },
});

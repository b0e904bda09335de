/** `touchline status`: shows a running system on one screen. */
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline status [--watch] [--json] [--metrics <address>[,<address>...]]

Shows a running system on one screen, from the broker: processes and pending records of each processor, open dead letters,
whether each source of messages is believed, and incident lists of the provider that are not plausible. With --metrics also, from these processes: memory, tasks by state, restored and
undecided records.

  --watch    updates every 2 s on a terminal until Ctrl-C; elsewhere prints once
  --json     prints JSON, once
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

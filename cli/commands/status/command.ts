/** `touchline status`: shows a running system on one screen. */
import { defineCommand } from '../../command.ts';

export const command = defineCommand('status', {
  about: `Shows a running system on one screen, from the broker: processes and pending records of each processor, open dead
letters, whether each source of messages is believed, and incident lists of the provider that are not plausible. With --metrics also,
from these processes: memory, tasks by state, restored and undecided records.`,
  examples: ['status --watch', 'status --metrics http://localhost:9464 --json'],
})
  .option('--watch', 'updates every 2 s on a terminal until Ctrl-C; elsewhere prints once')
  .option('--json', 'prints JSON, once')
  .option(
    '--metrics <addresses>',
    'addresses of METRICS_PORT, as http://localhost:9464, separated by commas',
  );

import { Argument } from 'commander';
import { defineCommand } from '../../command.ts';
import { serviceNames } from '../../services.ts';

export const command = defineCommand('doctor', {
  about: `Checks from this machine, with the settings of this environment, what services need, says what to do, and shows what a
running system does: first the findings, then lag and processes of each processor, dead letters, sources of messages, and refused
incident lists. Changes nothing. Exit code 1 when a check failed, 0 with warnings. docs/guides/operate.md lists the checks.`,
  examples: ['doctor', 'doctor api feed-poller', 'doctor --watch'],
})
  .addArgument(new Argument('[service...]', 'services whose settings are checked').choices(serviceNames()))
  .option('--watch', 'on a terminal, updates the tables every 2 s and all checks every 30 s, until Ctrl-C')
  .option('--json', 'prints {findings, tables}, once; a finding is {check, status, message, advice}');

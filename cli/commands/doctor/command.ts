import { Argument } from 'commander';
import { defineCommand } from '../../command.ts';
import { serviceNames } from '../../services.ts';

export const command = defineCommand('doctor', {
  about: `Checks from this machine, with the settings of this environment, what services need, and shows what a running system
does. First the findings, each with its advice: brokers and their known defects, topics and their settings, rights on topics, the
registry and its schemas, lag of the processors, lost input and lost logs, dead letters, the provider when PROVIDER_BASE_URL is set,
the feeds, the clock, those of receivers, disks; and the settings of the named services. Then the tables: processes and pending
records of each processor, dead letters, sources of messages, and incident lists of the provider that are not plausible. Changes nothing. Exit code 1 when a check failed, 0
with warnings.`,
  examples: ['doctor', 'doctor api feed-poller', 'doctor --watch'],
})
  .addArgument(new Argument('[service...]', 'services whose settings are checked').choices(serviceNames()))
  .option(
    '--watch',
    'updates on a terminal until Ctrl-C: tables every 2 s, all checks every 30 s; elsewhere prints once',
  )
  .option(
    '--json',
    'prints {findings, tables}, once: findings as {check, status, message, advice}, where status is ok, warning or failed; tables are null when no broker answers',
  );

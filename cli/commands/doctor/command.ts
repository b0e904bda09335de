/** `touchline doctor`: checks what services need, and shows what a running system does. */
import { defineCommand } from '../../command.ts';

export const command = defineCommand('doctor', {
  about: `Checks from this machine, with the settings of this environment, what services need, and shows what a running system
does. First the findings, each with its advice: brokers and their known defects, topics and their settings, the registry,
its clock and its schemas, lag of the processors, lost input and lost logs, unreadable records, dead letters, webhooks, the
feeds, the disks of brokers. Then the tables: processes and pending records of each processor, dead letters, sources of messages. Changes nothing. Exit
code 1 when a check failed, 0 with warnings. What a process says of itself is in its metrics, with alerts for certificates,
credentials, clocks and its disk: docs/guides/monitor.md.`,
  examples: ['doctor', 'doctor --watch'],
})
  .option(
    '--watch',
    'updates on a terminal until Ctrl-C: tables every 2 s, all checks every 30 s; elsewhere prints once',
  )
  .option(
    '--json',
    'prints {findings, tables}, once: findings as {check, status, message, advice}, where status is ok, warning or failed; tables are null when no broker answers',
  );

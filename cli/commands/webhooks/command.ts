import { Option } from 'commander';
import { defineCommand, order } from '../../command.ts';
import { parseCount, parseIdStart, parsePastTime } from '../option-values.ts';

export const command = defineCommand('webhooks', {
  about: `Shows and controls the delivery of webhooks to clients (touchline clients webhook creates webhooks). An id may be
shortened to four characters. A time is as 2026-11-20T18:00:00Z, or 2h for two hours ago. A running dispatcher applies an order at once,
otherwise the next one that starts does.`,
  examples: ['webhooks list', 'webhooks resend 1a2b --from 2h'],
});

export const list = command
  .command('list')
  .description('lists every webhook: client, host, state, and when and how its last and next attempts are')
  .option('--json');

export const undelivered = command
  .command('undelivered')
  .description('lists the first pending messages of a webhook, and prints their number')
  .argument('<id>', '', parseIdStart)
  .option('--limit <n>', '', parseCount(100_000), 50)
  .option('--json');

export const resend = order(command.command('resend'))
  .description('sends messages again under the same ids, then the pending ones; enables a disabled webhook')
  .argument('<id>', '', parseIdStart)
  .requiredOption('--from <time>', 'all messages composed since, at most seven days ago', parsePastTime);

export const skip = order(command.command('skip'))
  .description('gives up pending messages; shows their number. resend can still send them')
  .argument('<id>', '', parseIdStart)
  .option('--before <time>', 'those that were composed before a time', parsePastTime)
  .addOption(new Option('--message <uuid>', 'one that the receiver cannot process').conflicts('before'))
  .option('--yes', 'gives them up');

export const enable = order(command.command('enable'))
  .description('resumes deliveries at the last position, at once')
  .argument('<id>', '', parseIdStart);

export const disable = order(command.command('disable'))
  .description('stops deliveries; what comes meanwhile is sent once it is enabled, unless it expires')
  .argument('<id>', '', parseIdStart);

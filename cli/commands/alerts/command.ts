import { Option } from 'commander';
import { defineCommand } from '../../command.ts';
import { parseDuration } from '../option-values.ts';

export const command = defineCommand('alerts', {
  about: `Publishes an alert for each change that matches a rule, exactly once, even across restarts and crashes: on the
topic alerts, and to webhooks of the type alert. Prints each alert that is published from now on: touchline tail alerts shows earlier
ones. Runs until Ctrl-C. Several processes share the work. LOG_LEVEL
(default warn) is the lowest level that is logged to standard error.`,
  examples: ['alerts --rules data/alert-rules.json', 'alerts --rules rules.json --max-age 12h'],
})
  .requiredOption('--rules <file>', 'rules as JSON: see docs/guides/alerts.md and data/alert-rules.json')
  .addOption(
    new Option('--format <what>', 'default: line on a terminal, else json').choices([
      'line',
      'json',
    ] as const),
  )
  .option(
    '--max-age <time>',
    'publishes nothing about changes received longer ago, as 90s, 30m, 12h, 7d; default: the first start publishes from now on, each further one what was received since the one before, of 1d at most',
    parseDuration,
  );

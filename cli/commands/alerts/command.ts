import { Option } from 'commander';
import { defineCommand } from '../../command.ts';
import { parseDuration } from '../option-values.ts';

export const command = defineCommand('alerts', {
  about: `Publishes an alert for each change that matches a rule, exactly once, on the topic alerts and to webhooks of the
type alert, and prints each from now on, until Ctrl-C. Several processes share the work. LOG_LEVEL (default warn) is of standard error.`,
  examples: ['alerts --rules data/alert-rules.json', 'alerts --rules rules.json --max-age 12h'],
})
  .requiredOption('--rules <file>', 'rules as JSON: see docs/guides/alerts.md and data/alert-rules.json')
  .addOption(
    new Option('--format <what>', 'default: line on a terminal, else json').choices(['line', 'json']),
  )
  .option(
    '--max-age <time>',
    'not of changes received longer ago, as 90s, 12h, 7d: see the guide',
    parseDuration,
  );

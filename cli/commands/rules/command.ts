import { defineCommand } from '../../command.ts';
import { parseId } from '../option-values.ts';

export const command = defineCommand('rules', {
  about: 'Checks files of competition rules, and prints the tables that they give.',
  examples: ['rules check my-rules', 'rules check my-rules --season 31'],
});

export const check = command
  .command('check')
  .description(`Reads the rules of competitions in a folder, and prints the league tables that they give today with the results on \
match-results. Publishes nothing. Exit code 1 when a file is invalid: every problem is a line on standard error.`)
  .argument('<folder>')
  .option('--season <id>', 'prints the tables of this season alone', parseId);

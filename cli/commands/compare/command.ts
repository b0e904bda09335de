import { Option } from 'commander';
import { defineCommand } from '../../command.ts';
import { parsePrefix } from '../option-values.ts';

/**
 * Levels of a comparison: `bytes` ignores nothing; `log` ignores what depends on the log and its transactions; `state` ignores
 * also what depends on the order of messages, and compares what the laws promise (docs/decisions/0084).
 */
export const LEVELS = ['bytes', 'log', 'state'] as const;
export type ComparisonLevel = (typeof LEVELS)[number];

const LEVEL = `bytes compares every field; log ignores what depends on the log and its transactions, such as offsets; state \
also what depends on the order of messages: versions, causes and all transitions`;

export const command = defineCommand('compare', {
  about: `Compares the match states, incidents, transitions, results and tables of two prefixes, read committed, up to the
current ends of the topics. Names the keys that differ. Exit code: 0 same, 1 different, 2 comparison failed.`,
  examples: ['compare touchline. rebuilt. --level state'],
})
  .argument('<prefix a>', '', parsePrefix)
  .argument('<prefix b>', '', parsePrefix)
  .addOption(new Option('--level <level>', LEVEL).choices(LEVELS).default('log' as const))
  .option('--json', 'prints one JSON value with all keys that differ');

import { Argument, Option } from 'commander';
import { TOPIC_NAMES, TOPICS } from '#topics/topics.ts';
import { defineCommand } from '../../command.ts';
import { parseCount, parsePastTime, parserOf } from '../option-values.ts';

const TOPIC_LINES = TOPIC_NAMES.map((name) => `${name}: ${TOPICS[name].about}`).join('\n');
const wholeNumber = (form: RegExp) => parserOf(form, 'It is a whole number.', Number);

export const command = defineCommand('tail', {
  about: `Shows the records of one or more topics, decoded, as consumers see them (read committed). The guard of a record is
that of its time: touchline live and touchline match show what may be traded now. Exit code 1 when a record could not be
decoded, and when --from-beginning --exit-at-end finds no record of the --key.`,
  examples: [
    'tail match-state --from-beginning --exit-at-end --json',
    'tail match-transitions --since 30m --key 310064',
  ],
})
  .addArgument(new Argument('<topic...>', TOPIC_LINES).choices(TOPIC_NAMES))
  .option('--from-beginning', 'starts at the first record; default: at new records')
  .addOption(
    new Option(
      '--since <time>',
      'starts at records written since 2026-11-21T18:00:00Z, or 90s, 30m, 2h, 7d ago',
    )
      .argParser(parsePastTime)
      .conflicts(['fromBeginning', 'offset']),
  )
  .addOption(
    new Option('--offset <n>', 'starts at an offset of the --partition, or with -10 at the last ten of each')
      .argParser(wholeNumber(/^-?\d{1,15}$/))
      .conflicts('fromBeginning'),
  )
  .option('--exit-at-end', 'ends after the last record that existed at the start')
  .option('--limit <n>', 'ends after this number of records', parseCount(999_999_999))
  .option('--partition <n>', 'only records of this partition', wholeNumber(/^\d{1,9}$/))
  .option('--key <key>', "only records with this key, or keys below it: an event's incidents")
  .option('--json', 'prints one JSON value per line, by the schema; bytes that are not UTF-8 as base64');

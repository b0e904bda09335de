import { Option } from 'commander';
import { defineCommand, order } from '../../command.ts';
import { parseCount, parseMoment, parseNewPrefix, parserOf } from '../option-values.ts';

const definition = defineCommand('replay', {
  about: `Rebuilds match state, incidents, transitions, results and tables under another topic prefix, beside the running system,
which it does not touch. Two replays give the same bytes. Messages keep their times of receipt. Webhooks are not sent again.
TOPIC_PREFIX is the prefix of the source. RULES_DIR has the rules of competitions, as for the standings processor.
docs/guides/replay.md shows how to compare the result and to switch to it. Exit code 1 when the replay is not complete: also where
raw records that nobody can read were left out, each named on standard error.`,
  examples: ['replay --into rebuilt.', 'replay --into rebuilt. --source raw --replace'],
});

export const command = order(definition)
  .requiredOption('--into <prefix>', 'topic prefix to write to, which ends with a dot', parseNewPrefix)
  .option(
    '--replace',
    'deletes all topics of that prefix first, also clients, tokens, the raw log and orders. Shows how many records they hold; only with --yes deletes them. Refused while something with that prefix runs (an api or tool gateway leaves no trace on the brokers: stop it yourself)',
  )
  .option('--yes', 'deletes the records of --replace')
  .addOption(
    new Option(
      '--copy',
      'derives nothing: copies the topics that a rebuild deletes, and those of tables, byte for byte, also what the input no longer has; for reading, with TOPIC_PREFIX=<prefix>',
    ).conflicts(['source', 'from', 'to', 'gaps', 'partitions', 'forSwitch']),
  )
  .addOption(
    new Option(
      '--source <topic>',
      'normalized-messages in the order of processing, or raw-messages, normalized again with the current rules',
    )
      .choices(['normalized', 'raw'] as const)
      .default('normalized' as const),
  )
  .option(
    '--from <moment>',
    'starts at the first record written then; default: the first record',
    parseMoment,
  )
  .option(
    '--to <moment>',
    'ends before the first record written then; default: the last record now',
    parseMoment,
  )
  .option(
    '--gaps <factor>',
    'keeps the gaps between records, multiplied by the factor: 1 as recorded, 0.1 ten times as fast; default: no gaps',
    parserOf(/^(?!0+(\.0+)?$)\d+(\.\d+)?$/, 'It must be a number above 0.', Number),
  )
  .option(
    '--partitions <n>',
    'of new topics of a match; default: as many as those of the source',
    parseCount(),
  )
  .option(
    '--for-switch',
    'also copies clients, their access tokens and the checkpoints of the poller, for a system that will continue with the new prefix',
  );

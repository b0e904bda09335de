import { Option } from 'commander';
import { defineCommand, order } from '../../command.ts';
import { parseCount, parseMoment, parseNewPrefix, parserOf } from '../option-values.ts';

const aboveZero = parserOf(/^(?!0+(\.0+)?$)\d+(\.\d+)?$/, 'It must be a number above 0.', Number);
const REPLACE = `deletes all topics of that prefix first, also clients, tokens, the raw log and orders: shows how many records they \
hold, and deletes them only with --yes. Refused while something with that prefix runs; stop its api and tool gateway yourself`;

export const command = order(
  defineCommand('replay', {
    about: `Rebuilds match state, incidents, transitions, results and tables under another topic prefix, beside the running system,
which it does not touch (TOPIC_PREFIX). Two replays give the same bytes. Webhooks are not sent again. Exit code 1 when the replay is not
complete, or left out raw records that nobody can read. docs/guides/replay.md shows how to compare the result and to switch to it.`,
    examples: ['replay --into rebuilt.', 'replay --into rebuilt. --source raw --replace'],
  }),
)
  .requiredOption('--into <prefix>', 'topic prefix to write to, which ends with a dot', parseNewPrefix)
  .option('--replace', REPLACE)
  .option('--yes', 'deletes the records of --replace')
  .addOption(
    new Option(
      '--copy',
      'derives nothing: copies the topics that a rebuild deletes, and those of tables',
    ).conflicts(['source', 'from', 'to', 'gaps', 'partitions', 'forSwitch']),
  )
  .addOption(
    new Option(
      '--source <topic>',
      'normalized-messages, or raw-messages, normalized again with the current rules',
    )
      .choices(['normalized', 'raw'] as const)
      .default('normalized' as const),
  )
  .option('--from <moment>', 'starts at the first record written then', parseMoment)
  .option('--to <moment>', 'ends before the first record written then', parseMoment)
  .option('--gaps <factor>', 'keeps gaps between records: 1 as recorded, 0.1 ten times as fast', aboveZero)
  .option(
    '--partitions <n>',
    'of new topics of a match; default: as many as those of the source',
    parseCount(),
  )
  .option('--for-switch', 'also copies clients, their access tokens and the checkpoints of the poller');

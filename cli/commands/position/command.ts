import { Argument } from 'commander';
import { PROCESSOR_NAMES } from '#topics/processors.ts';
import { defineCommand, order } from '../../command.ts';
import { parserOf } from '../option-values.ts';

const partitionsOf = parserOf(
  /^\d{1,4}(,\d{1,4})*$/,
  'The partition must be a number, or several: 0,3,7.',
  (text) => text.split(',').map(Number),
);
const offsetOf = parserOf<number | 'start' | 'end'>(
  /^(start|end|\d{1,15})$/,
  'The offset must be a number, start or end.',
  (text) => (text === 'start' || text === 'end' ? text : Number(text)),
);
const ACCEPT = `accepts the current changelogs as the state, even after one was created again or lost records. Give an offset before \
the messages whose changes were lost: else readers that know them halt their matches (version_went_back)`;

export const command = order(
  defineCommand('position', {
    about: `Shows the committed position of a processor in each partition of its input; with a partition and an offset, sets it.
A later position permanently skips the records before it: without --yes the command prints their number and changes nothing. An
earlier position processes records again, which changes no match state.`,
    examples: ['position match-processor', 'position match-processor 0 start'],
  }),
  (_, [, partitions]) => partitions !== undefined,
)
  .addArgument(new Argument('<processor>').choices(PROCESSOR_NAMES))
  .argument('[partition]', 'one of its input, or several: 0,3,7', partitionsOf)
  .argument('[offset]', 'an offset of the input, or start, or end', offsetOf)
  .option('--yes', 'skips records that were not processed')
  .option('--accept-state', ACCEPT);

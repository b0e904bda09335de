import { Argument } from 'commander';
import { REBUILD_REFUSES } from '#streams/runtime/positions.ts';
import { PROCESSOR_NAMES } from '#topics/processors.ts';
import { defineCommand, order } from '../../command.ts';
import { parseCount } from '../option-values.ts';

const DELETED = `match-processor: deletes match-incidents, match-state, match-transitions, match-results and webhook-times; also \
rebuilds the two others; webhook messages of the last seven days are sent again, under the same ids. standings-processor: deletes \
standings-results. alert-processor: deletes nothing; alerts of the last --max-age are published again, under the same ids`;

export const command = order(
  defineCommand('rebuild', {
    about: `Makes a processor process its whole input again: deletes its output and its positions, and creates the topics again.
A touchline up of the same DATA_DIR stops the processors meanwhile; elsewhere they must be stopped. Without --yes it only shows what it
would delete. It ${REBUILD_REFUSES}, such as matches whose messages have expired: it counts them. A copy of all that a
rebuild deletes: npx touchline replay --copy --into <prefix>`,
    examples: ['rebuild standings-processor --yes'],
  }),
  ({ yes }) => yes === true,
)
  .addArgument(new Argument('<processor>', DELETED).choices(PROCESSOR_NAMES))
  .option('--yes', 'deletes what the input still has')
  .option(
    '--lose <n>',
    'also deletes up to n of what it no longer has',
    parseCount(Number.MAX_SAFE_INTEGER),
    0,
  );

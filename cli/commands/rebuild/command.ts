/** `touchline rebuild`: makes a processor process its whole input again. */
import { REBUILD_REFUSES } from '#streams/runtime/positions.ts';
import { PROCESSOR_NAMES } from '#topics/processors.ts';
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline rebuild <processor> [--yes] [--lose <n>]

Makes a processor process its whole input again: deletes its output and its positions, and creates the topics again. A
touchline up of the same DATA_DIR stops the processors meanwhile and starts them again; elsewhere they must be stopped, and
rebuild at their next start. Without --yes the command only shows what it would delete.

It ${REBUILD_REFUSES}, such as matches whose messages have expired (normalized-messages keeps 400 days):
it counts them. To keep a copy of all topics that a rebuild deletes: npx touchline replay --copy --into <prefix>

  match-processor      deletes match-incidents, match-state, match-transitions, match-results and webhook-times; also
                       rebuilds standings-processor and alert-processor; webhook messages of the last seven days are sent
                       again, under the same ids
  standings-processor  deletes standings-results; tables are derived again, and their versions continue
  alert-processor      deletes nothing; alerts of the last --max-age are published again, under the same ids

  --yes       deletes what the input still has
  --lose <n>  also deletes what it no longer has, where these are at most n

${BROKER_HELP}
`;

export const command = defineCommand({
  help: HELP,
  options: {
    yes: { type: 'boolean', default: false },
    lose: { type: 'string' },
  },
  words: (before) => (before.length === 0 ? PROCESSOR_NAMES : []),
  changes: ({ values }) => values.yes,
});

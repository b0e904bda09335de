/** `touchline position`: shows and sets the committed positions of a processor. */
import { PROCESSOR_NAMES } from '#topics/processors.ts';
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline position <processor> [<partition> <offset> [--yes] [--accept-state]]

Shows the committed position of a processor in each partition of its input; with a partition and an offset, sets it. A later
position skips the records up to it for good: without --yes it says how many these are, and changes nothing. An earlier one has
them processed again, which changes no match state. A stopped partition resumes within half a minute, a running one with its
next record.

  <processor>  ${PROCESSOR_NAMES.join(', ')}
  <offset>     an offset of the input, or start, or end
  --yes        skips records that were not processed
  --accept-state
               takes the changelogs as they are for the state, also where one was made again or lost records: without it
               the processor refuses these as before

${BROKER_HELP}
`;

export const command = defineCommand({
  help: HELP,
  options: {
    yes: { type: 'boolean', default: false },
    'accept-state': { type: 'boolean', default: false },
  },
  words: (before) => (before.length === 0 ? PROCESSOR_NAMES : before.length === 2 ? ['start', 'end'] : []),
  changes: ({ positionals }) => positionals.length > 1,
});

/** `touchline position`: shows and sets the committed positions of a processor. */
import { PROCESSOR_NAMES } from '#topics/processors.ts';
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline position <processor> [<partition> <offset> [--yes] [--accept-state]]

Shows the committed position of a processor in each partition of its input; with a partition and an offset, sets it. A later
position permanently skips the records before it: without --yes the command prints their number and changes nothing. An earlier
position processes records again, which changes no match state. A stopped partition resumes within half a minute, a running one
with its next record.

  <processor>  ${PROCESSOR_NAMES.join(', ')}
  <partition>  one of its input, or several: 0,3,7
  <offset>     an offset of the input, or start, or end
  --yes        skips records that were not processed
  --accept-state
               accepts the current changelogs as the state, even after a changelog was created again or lost records;
               without it the processor still refuses such changelogs. Give an offset before the messages whose changes were
               lost: else readers that know these changes halt their matches (version_went_back) until they have as many again

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

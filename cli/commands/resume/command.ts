/** `touchline resume`: ends a halt by hand. */
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline resume <event id> | --competition <id> | --all  --reason <text>

Ends the halt of a match, of a competition or of everything that touchline halt or the board began; any operator may. A match stays
halted while its competition or everything is, and by the reasons of its state and its feed.

  --reason <text>  why, in one line of up to 200 characters

${BROKER_HELP}
`;

export const command = defineCommand({
  help: HELP,
  options: {
    competition: { type: 'string' },
    all: { type: 'boolean', default: false },
    reason: { type: 'string' },
  },
  words: () => [],
  changes: () => true,
});

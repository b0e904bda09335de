/** `touchline rules`: checks files of competition rules. */
import { BROKER_HELP, defineCommand } from '../../command.ts';
import { actionWords } from '../actions.ts';

const HELP = `Usage: touchline rules check <folder> [--season <id>]

Reads the rules of competitions in a folder, and prints the league tables that they give with the results on match-results, as
they are today. Derives them in memory: it publishes nothing, and needs no processor to stop.

  --season <id>  prints the tables of this season alone; default: those of all seasons

${BROKER_HELP}
Exit code 1 when a file is invalid: every problem of each file is a line on standard error.
`;

/** Options that each action takes. */
export const ACTIONS = { check: { options: ['season'] } } as const;

export const command = defineCommand({
  help: HELP,
  options: { season: { type: 'string' } },
  words: (before) => actionWords(ACTIONS, before),
});

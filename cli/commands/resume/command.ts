import { defineCommand, order } from '../../command.ts';
import { parseEventId } from '../option-values.ts';

export const command = order(
  defineCommand('resume', {
    about: `Ends the halt of a match, of a competition or of everything that touchline halt or the board began; any operator
may. A match stays halted while its competition or everything is, and by the reasons of its state and its feed.`,
    examples: ['resume 310064 --reason checked'],
  }),
)
  .argument('[event id]', 'a match', parseEventId)
  .option('--competition <id>', 'all matches of a competition')
  .option('--all', 'everything')
  .option('--reason <text>', 'why, in one line of up to 200 characters');

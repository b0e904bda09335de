import { defineHaltOrder } from '../halt/command.ts';

export const command = defineHaltOrder('resume', {
  about: `Ends the halt of a match, of a competition or of everything that touchline halt or the board began; any operator
may. A match stays halted while its competition or everything is, and by the reasons of its state and its feed.`,
  examples: ['resume 310064 --reason checked'],
});

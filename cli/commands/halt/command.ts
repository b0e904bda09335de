import { defineCommand, order } from '../../command.ts';
import { parseDuration, parseEventId } from '../option-values.ts';

/** Begins the definition of an order on the trading of a match, of a competition or of everything. */
export function defineHaltOrder(name: string, texts: Parameters<typeof defineCommand>[1]) {
  return order(defineCommand(name, texts))
    .argument('[event id]', 'a match', parseEventId)
    .option('--competition <id>', 'all matches of a competition')
    .option('--all', 'everything')
    .option('--reason <text>', 'why, in one line of up to 200 characters');
}

export const command = defineHaltOrder('halt', {
  about: `Halts the trading of a match, of a competition or of everything by hand: every reader says "halted_by_hand" within
a second. It ends with touchline resume or with --for; no message of the feed ends it. A further halt replaces the one before.`,
  examples: ['halt 310064 --reason late --for 10m', 'halt --all --reason maintenance'],
}).option('--for <time>', 'ends the halt by itself after 90s, 30m, 2h, 7d', parseDuration);

import { defineCommand, order } from '../../command.ts';
import { parseEventId } from '../option-values.ts';

export const command = order(
  defineCommand('end', {
    about: `Ends a match that the provider never ends: it leaves boards and tables, its guard closes, and clients receive its
deletion, until the provider's next message of it. Who ordered it, when and why stays in its story.`,
    examples: ['end 310064 --reason abandoned --yes'],
  }),
)
  .argument('<event id>', '', parseEventId)
  .option('--reason <text>', 'why, in one line of up to 200 characters')
  .option('--yes', 'ends it');

import { Option } from 'commander';
import { defineCommand } from '../../command.ts';
import { parseEventId } from '../option-values.ts';

export const command = defineCommand('match', {
  about: `Shows one match: score, firm score, whether it may be traded, and its incidents with minute, running score, team and
player, why a goal is void, and when each was reported, confirmed or withdrawn. Exit code 1 when the match is unknown here.`,
  examples: ['match 310064', 'match 310064 --follow'],
})
  .argument('<event id>', '', parseEventId)
  .addOption(
    new Option('--follow', 'on a terminal, redraws it with each change until Ctrl-C').conflicts('json'),
  )
  .option('--json', 'prints one JSON value: state, trading, feed, halts and story (incidents)');

import { Argument } from 'commander';
import { defineCommand } from '../../command.ts';

export const command = defineCommand('completion', {
  about: `Prints a script that completes commands, actions, options and their values, and names the command touchline where
the shell knows none.`,
  examples: ['completion bash', 'completion fish'],
  notes: `Beginning in the folder of Touchline:

  bash  eval "$(npx touchline completion bash)"   also in ~/.bashrc
  fish  npx touchline completion fish | source    also in config.fish
  zsh   eval "$(npx touchline completion zsh)"    after compinit`,
}).addArgument(new Argument('<shell>').choices(['bash', 'fish', 'zsh'] as const));

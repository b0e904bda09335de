/** `touchline completion`: completion of commands, options and their values in a shell. */
import { defineCommand } from '../../command.ts';

const HELP = `Usage: touchline completion bash|fish|zsh

Prints a script that completes commands, actions, options and their values, and names the command touchline where the shell
knows none. Beginning in the folder of Touchline:

  bash  eval "$(npx touchline completion bash)"   also in ~/.bashrc, with the path that it prints
  fish  npx touchline completion fish | source    also in ~/.config/fish/config.fish
  zsh   eval "$(npx touchline completion zsh)"    after compinit
`;

export const command = defineCommand({
  help: HELP,
  options: {},
  words: (before) => (before.length === 0 ? ['bash', 'fish', 'zsh'] : []),
});

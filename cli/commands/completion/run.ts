import { fileURLToPath } from 'node:url';
import { shellWord } from '../../addresses.ts';
import type { GivenTo } from '../../command.ts';
import type { command } from './command.ts';

const LAUNCHER = fileURLToPath(new URL('../../../bin/touchline.js', import.meta.url));

export async function run(...[shell]: GivenTo<typeof command>): Promise<number> {
  process.stdout.write(SCRIPTS[shell](shellWord(LAUNCHER)));
  return 0;
}

const bash = (launcher: string): string => `_touchline() {
  local IFS=$'\\n'
  COMPREPLY=($(${launcher} __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
command -v touchline >/dev/null || alias touchline=${launcher}
complete -o default -F _touchline touchline
`;

const zsh = (launcher: string): string => `_touchline() {
  local -a found
  found=(\${(f)"$(${launcher} __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -a found; else _files; fi
}
command -v touchline >/dev/null || alias touchline=${launcher}
compdef _touchline touchline
`;

const fish = (launcher: string): string => `function __touchline_complete
    set -l current (commandline -ct)
    set -l words (commandline -opc)
    set -l found (${launcher} __complete $words[2..-1] "$current" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$current"
    end
end
command -q touchline; or alias touchline=${launcher}
complete -c touchline -f -a '(__touchline_complete)'
`;

const SCRIPTS = { bash, fish, zsh };

/** Completion of the word at the cursor: commands, services, words, options, and values of options. */
import type { Command } from './command.ts';
import { loadCommand, SUMMARIES } from './commands/catalogue.ts';
import { serviceNames } from './services.ts';

/** Returns the candidates for the last word, which may be empty; none where a file or free text is expected. */
export async function complete(words: readonly string[]): Promise<string[]> {
  const [name = '', ...rest] = words;
  if (rest.length === 0)
    return startingWith(name, [...Object.keys(SUMMARIES), 'help', 'version', ...serviceNames()]);
  if (name === 'help') return rest.length === 1 ? startingWith(rest[0] ?? '', Object.keys(SUMMARIES)) : [];
  return Object.hasOwn(SUMMARIES, name) ? completeArguments(await loadCommand(name), rest) : [];
}

function completeArguments(command: Command, args: readonly string[]): string[] {
  const { options, choices = {}, words } = command;
  const last = args.at(-1) ?? '';
  const [option = '', value] = last.split('=', 2);
  if (option.startsWith('--') && value !== undefined)
    return startingWith(value, choices[option.slice(2)] ?? []).map((choice) => `${option}=${choice}`);
  const takesValue = (arg: string | undefined): boolean =>
    arg?.startsWith('--') === true && options[arg.slice(2)]?.type === 'string';
  const before = args.at(-2);
  if (takesValue(before)) return startingWith(last, choices[before?.slice(2) ?? ''] ?? []);
  if (last.startsWith('-')) {
    const used = new Set(args.slice(0, -1));
    const unused = Object.keys(options).map((one) => `--${one}`);
    return startingWith(last, [...unused.filter((one) => !used.has(one)), '--help']);
  }
  const positionals = args
    .slice(0, -1)
    .filter((arg, at) => !arg.startsWith('-') && !takesValue(args[at - 1]));
  return startingWith(last, words?.(positionals) ?? []);
}

function startingWith(start: string, known: readonly string[]): string[] {
  return known.filter((one) => one.startsWith(start));
}

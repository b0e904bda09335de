/** Completion of the word at the cursor: commands, services, actions, options, and values of both. */
import type { CommandUnknownOpts } from 'commander';
import { loadCommand, SUMMARIES } from './commands/catalogue.ts';
import { serviceNames } from './services.ts';

/** Returns the candidates for the last word, which may be empty; none where a file or free text is expected. */
export async function complete(words: readonly string[]): Promise<string[]> {
  const [name = '', ...rest] = words;
  const last = words.at(-1) ?? '';
  let known: readonly string[] = [];
  if (rest.length === 0) known = [...Object.keys(SUMMARIES), 'help', 'version', ...serviceNames()];
  else if (name === 'help') known = rest.length === 1 ? Object.keys(SUMMARIES) : [];
  else if (Object.hasOwn(SUMMARIES, name)) known = candidates(await loadCommand(name), rest);
  return known.filter((one) => one.startsWith(last));
}

function candidates(command: CommandUnknownOpts, args: readonly string[]): readonly string[] {
  const [first = '', ...more] = args;
  const action = more.length > 0 ? command.commands.find((one) => one.name() === first) : undefined;
  if (action !== undefined) return candidates(action, more);
  const { options, registeredArguments, commands } = command;
  const last = args.at(-1) ?? '';
  const valued = (arg: string | undefined) => options.find(({ long, required }) => required && long === arg);
  const [name, value] = last.split('=', 2);
  if (value !== undefined) return valued(name)?.argChoices?.map((choice) => `${name}=${choice}`) ?? [];
  const option = valued(args.at(-2));
  if (option !== undefined) return option.argChoices ?? [];
  if (last.startsWith('-'))
    return options
      .flatMap(({ long, hidden }) => (hidden ? [] : (long ?? [])))
      .concat('--help')
      .filter((one) => !args.slice(0, -1).includes(one));
  const before = args.slice(0, -1).filter((arg, at) => !arg.startsWith('-') && !valued(args[at - 1]));
  const argument =
    registeredArguments[before.length] ?? registeredArguments.findLast(({ variadic }) => variadic);
  return argument?.argChoices ?? commands.map((one) => one.name());
}

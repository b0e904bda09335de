/** What all commands of the command line share: how they are defined and parsed (commander), and their errors. */
import { Command, CommanderError, type CommandUnknownOpts, type OptionValues } from 'commander';
import type { CodeOf } from '#errors/catalogue.ts';
import { defineError } from '#errors/touchline-error.ts';

/** The arguments are invalid; the message says why. Exit code 2. */
export class UsageError extends defineError('UsageError', 'USAGE') {}

/** The command failed; the message is one line for a person. Exit code 1. */
export class CommandError extends defineError(
  'CommandError',
  (message: string, code: CodeOf<'CommandError'> = 'COMMAND_FAILED') => [code, message],
) {}

/** What the function that runs a command gets: its arguments, then its options. */
export type GivenTo<C> =
  C extends Command<infer Arguments, infer Options> ? [...given: Arguments, options: Options] : never;

type HelpTexts = {
  /** What the command does, in one paragraph; line ends are blanks. */
  readonly about: string;
  /** Command lines without `touchline`; a test parses each one. */
  readonly examples: readonly string[];
  /** What follows the examples; line ends are kept. Default: how the command finds its broker. */
  readonly notes?: string;
};

const BROKER =
  'Broker: that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL; default: the one that\ntouchline up or demo runs here.';

/** Begins the definition of a command. Its `run.ts` is loaded separately, so that help and usage errors load little. */
export function defineCommand(name: string, { about, examples, notes = BROKER }: HelpTexts): Command {
  const lines = examples.map((one) => `  touchline ${one}\n`).join('');
  return new Command(`touchline ${name}`.trim())
    .description(about.replaceAll('\n', ' '))
    .addHelpText('after', `\nExamples:\n${lines}${notes === '' ? '' : `\n${notes}`}`)
    .helpOption('-h, --help', 'prints this help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError() {} });
}

type IsOrder = (options: OptionValues, args: readonly unknown[]) => boolean;
const orders = new WeakMap<object, IsOrder>();

/** Marks a command that changes a system, with all arguments or with some; it is then recorded as an order. */
export function order<C extends object>(command: C, isOrder: IsOrder = () => true): C {
  orders.set(command, isOrder);
  return command;
}

export type ParsedCommand = {
  /** Words of the action, as `webhook add`; empty for a command without actions. */
  readonly action: string;
  readonly given: readonly unknown[];
  readonly isOrder: boolean;
};

/** Parses the arguments of a command. Throws `UsageError` for any that are wrong, and `CommanderError` once help is printed. */
export function parseArguments(command: CommandUnknownOpts, args: readonly string[]): ParsedCommand {
  // What an unset variable of a shell leaves. No command takes one.
  if (args.some((one) => /^(?:--[\w-]+=)?\s*$/.test(one)))
    throw new UsageError('an argument is empty: is a variable of the shell not set?');
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode === 0 || error.code === 'commander.help')
      throw error;
    const [, text = '', guess] = /^(?:error: )?(.*?)(?:\n\((.*)\))?$/s.exec(error.message) ?? [];
    throw new UsageError(guess === undefined ? text : `${text}; ${guess.toLowerCase()}`);
  }
  const action: string[] = [];
  let leaf = command;
  for (let next = actionIn(leaf); next !== undefined; next = actionIn(leaf)) {
    action.push(next.name());
    leaf = next;
  }
  const options = leaf.opts();
  for (const [name, value] of Object.entries(options))
    if (typeof value === 'string' && value.startsWith('--'))
      throw new UsageError(`the option ${name} needs a value, not ${value}`);
  const isOrder = orders.get(leaf)?.(options, leaf.processedArgs) ?? false;
  return { action: action.join(' '), given: [...leaf.processedArgs, options], isOrder };
}

function actionIn({ commands, args }: CommandUnknownOpts): CommandUnknownOpts | undefined {
  return commands.find((one) => one.name() === args[0]);
}

import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { CodeOf } from '#errors/catalogue.ts';
import { defineError } from '#errors/touchline-error.ts';
import { didYouMean } from './suggest.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** Parsed arguments of a command: the values of its options, and its other words. */
export type ParsedArguments<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true; strict: true }>
>;

type Definition<O extends Options> = {
  /** The whole text of `touchline <name> --help`. */
  readonly help: string;
  readonly options: O;
  /** Returns the known words that may follow those before them; missing when the command takes only options. */
  readonly words?: (before: readonly string[]) => readonly string[];
  /** Allowed values of options that take one of a fixed set. */
  readonly choices?: { readonly [Name in keyof O]?: readonly string[] };
  /** Whether the command changes a system with these arguments; it is then recorded as an order. Default: never. */
  changes?(given: ParsedArguments<O>): boolean;
  /** Exit code of a failure that the arguments did not cause. Default 1. */
  readonly failedCode?: number;
};

/** A command's help and arguments. Its `run.ts` is loaded separately, so that help and usage errors load little. */
export type Command = Omit<Definition<Options>, 'choices'> & {
  readonly choices?: Readonly<Record<string, readonly string[] | undefined>>;
};

/** Parsed arguments of the command `C`. */
export type ArgumentsOf<C> = C extends { readonly options: infer O extends Options }
  ? ParsedArguments<O>
  : never;

/** Help of every command that uses a cluster: how `findCluster` finds it. */
export const BROKER_HELP =
  'Broker: that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL; default: the one that touchline up or demo runs here.';

/** Returns the definition, typed by its options. */
export function defineCommand<const O extends Options>(definition: Definition<O>): Definition<O> {
  return definition;
}

/** The arguments are invalid; the message says why. Exit code 2. */
export class UsageError extends defineError('UsageError', 'USAGE') {}

/** The command failed; the message is one line for a person. Exit code 1. */
export class CommandError extends defineError(
  'CommandError',
  (message: string, code: CodeOf<'CommandError'> = 'COMMAND_FAILED') => [code, message],
) {}

/** Parses the arguments of a command. Throws `UsageError` for unknown options and words, and for a missing, blank or invalid value. */
export function parseArguments<const O extends Options>(
  args: readonly string[],
  { options, words, choices }: Omit<Definition<O>, 'help'>,
): ParsedArguments<O> {
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'option') checkOption(token, options, choices?.[token.name]);
    else if (token.kind === 'positional') checkWord(token.value, words);
  }
  return parseArgs({ args, options, allowPositionals: true });
}

function checkWord(word: string, words: Definition<Options>['words']): void {
  if (words === undefined)
    throw new UsageError(`unexpected argument ${JSON.stringify(word)}: this command takes only options`);
  if (isBlank(word)) throw new UsageError('an argument is empty: is a variable of the shell not set?');
}

/** An empty or blank word is what an unset variable of a shell leaves. No command takes one. */
function isBlank(text: string): boolean {
  return text.trim() === '';
}

function checkOption(
  { name, rawName, value, inlineValue }: OptionToken,
  options: Options,
  choices: readonly string[] | undefined,
): void {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) {
    const known = Object.keys(options).map((one) => `--${one}`);
    throw new UsageError(`there is no option ${rawName}${didYouMean(rawName, known)}`);
  }
  if (option.type === 'boolean') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    return;
  }
  if (value === undefined || (inlineValue !== true && value.startsWith('-')))
    throw new UsageError(`${rawName} needs a value: ${rawName}=<value>`);
  if (isBlank(value)) throw new UsageError(`${rawName} is empty: is a variable of the shell not set?`);
  if (choices !== undefined && !choices.includes(value))
    throw new UsageError(
      `${rawName} is one of ${choices.join(', ')}, not ${JSON.stringify(value)}${didYouMean(value, choices)}`,
    );
}

type OptionToken = {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
};

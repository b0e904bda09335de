import { type ParseArgsConfig, parseArgs } from 'node:util';
import { TouchlineError } from '#errors/touchline-error.ts';
import { didYouMean } from './suggest.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** What a command line says: the options and the words after the command's name. */
export type Given<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true; strict: true }>
>;

type Definition<O extends Options> = {
  /** The whole text of `touchline <name> --help`. */
  readonly help: string;
  readonly options: O;
  /** The words that may follow the words before them, as far as they are known; left out where it takes none. */
  readonly words?: (before: readonly string[]) => readonly string[];
  /** Values of options that take one of a few. */
  readonly choices?: { readonly [Name in keyof O]?: readonly string[] };
  /** Whether it changes a system with these arguments: that is recorded as an order. Default: never. */
  changes?(given: Given<O>): boolean;
  /** Exit code of what fails for another reason than its arguments. Default 1. */
  readonly failedCode?: number;
};

/** How a command is called; what it does is loaded apart from it, so that help and mistakes cost nothing. */
export type Command = Omit<Definition<Options>, 'choices'> & {
  readonly choices?: Readonly<Record<string, readonly string[] | undefined>>;
};

export type GivenTo<C> = C extends { readonly options: infer O extends Options } ? Given<O> : never;

export function defineCommand<const O extends Options>(definition: Definition<O>): Definition<O> {
  return definition;
}

/** The command line is invalid; the message says why. Exit code 2. */
export class UsageError extends TouchlineError<'UsageError'> {
  override readonly name = 'UsageError';

  constructor(message: string, cause?: unknown) {
    super('USAGE', message, cause);
  }
}

/** The command failed; the message is one line for a person. Exit code 1. */
export class CommandError extends TouchlineError<'CommandError'> {
  override readonly name = 'CommandError';

  constructor(message: string) {
    super('COMMAND_FAILED', message);
  }
}

/** The arguments of a command. Throws `UsageError` for options it does not have, and for a value too few or too many. */
export function parseArguments<const O extends Options>(
  args: readonly string[],
  { options, words, choices }: Omit<Definition<O>, 'help'>,
): Given<O> {
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'option') checkOption(token, options, choices?.[token.name]);
    else if (token.kind === 'positional' && words === undefined)
      throw new UsageError(`it takes no ${JSON.stringify(token.value)}, only options`);
  }
  return parseArgs({ args, options, allowPositionals: true });
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

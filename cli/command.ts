import { type ParseArgsConfig, parseArgs } from 'node:util';
import { TouchlineError } from '#errors/touchline-error.ts';

/** A sub-command of `touchline`. */
export type Command = {
  /** Its name on the command line. */
  readonly name: string;
  /** The whole text of `touchline <name> --help`. */
  readonly help: string;
  /** Exit code of what fails for another reason than its arguments. Default 1. */
  readonly failedCode?: number;
  /** Runs it with the arguments after its name; resolves to the exit code. Throws `UsageError` for arguments it does not know. */
  run(args: readonly string[]): Promise<number>;
};

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

/** Node's `parseArgs`. Throws `UsageError` for what `config` does not know. */
export function parseArguments<const Config extends Omit<ParseArgsConfig, 'args'>>(
  args: readonly string[],
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs<Config>({ ...config, args });
  } catch (error) {
    throw new UsageError((error as Error).message, error);
  }
}

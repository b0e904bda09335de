import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A sub-command of `touchline`. */
export type Command = {
  /** Its name on the command line. */
  readonly name: string;
  /** One line for `touchline --help`. */
  readonly summary: string;
  /** The whole text of `touchline <name> --help`. */
  readonly help: string;
  /** Runs it with the arguments after its name; resolves to the exit code. Throws `UsageError` for arguments it does not know. */
  run(args: readonly string[]): Promise<number>;
};

/** The command line is invalid; the message says why. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'USAGE';
}

/** The command failed; the message is one line for a person. Exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code = 'COMMAND_FAILED';
}

/** Node's `parseArgs`. Throws `UsageError` for what `config` does not know. */
export function parseArguments<const Config extends Omit<ParseArgsConfig, 'args'>>(
  args: readonly string[],
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs<Config>({ ...config, args });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

import type { ErrorCodes } from './entry.ts';

/** Errors of `touchline`. */
export const CLI_ERRORS = {
  UsageError: {
    USAGE: ['The command line cannot be understood.', 'Run the command with `--help`.'],
  },
  CommandError: {
    COMMAND_FAILED: ['The command cannot do what it was asked for.', 'Read the message.'],
  },
  ProcessError: {
    PROCESS_FAILED: ['A service could not be started, or not be kept running.', 'Read its log file.'],
  },
  PortInUseError: {
    PORT_IN_USE: ['Something else has the port of a setting.', 'Set it to another port.'],
  },
  AddressError: {
    ADDRESS_UNKNOWN: ['This machine does not have the address.', 'Correct `LISTEN_HOST`.'],
  },
  DemoRunsError: {
    DEMO_RUNS: ['A demonstration runs in the folder already.', 'End it, or set `DATA_DIR`.'],
  },
} as const satisfies ErrorCodes;

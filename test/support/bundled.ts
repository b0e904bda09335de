/** Where a run of tests has its bundles of services and of the command line (test/setup/programs.ts), else the sources. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOf } from '../../cli/services.ts';

/** The program that users start. */
export const LAUNCHER = fileURLToPath(new URL('../../bin/touchline.js', import.meta.url));

export const COMMAND_LINE = 'command-line/touchline.mjs';

// Read once, because `touchlineHere` runs commands with another environment.
const { TEST_PROGRAMS } = process.env;

/** Returns the program of a service, or of `API_AND_TOOLS`. */
export function serviceProgram(name: string): string {
  return TEST_PROGRAMS === undefined ? programOf(name) : join(TEST_PROGRAMS, `${name}.mjs`);
}

export function commandLine(): string {
  return TEST_PROGRAMS === undefined ? LAUNCHER : join(TEST_PROGRAMS, COMMAND_LINE);
}

/** Runs printed commands in a shell, as an operator does who copies them. */
import { expect } from 'vitest';
import { type BlockRun, runBlock } from '../../support/runbook.ts';
import { isEndless } from '../guides/commands.ts';

export type ShellEnv = Readonly<Record<string, string>>;

/** Seconds after which a command that goes on until it is stopped is stopped. */
const STOPPED_AFTER = 15;
/** The exit code of `timeout` for a command that it stopped. */
const STOPPED = 124;

/** Runs the command of `touchline` in a process. One that goes on is interrupted, and then has the code `STOPPED`. */
export function runPrinted(command: string, env: ShellEnv): Promise<BlockRun> {
  return runBlock(
    `${isEndless(command) ? `timeout -s INT ${STOPPED_AFTER} ` : ''}npx touchline ${command}`,
    env,
  );
}

/** Doctor finds something; a dead letter that this release cannot read stays. */
const MAY_FAIL = /^(?:doctor|dead-letters resend)/;

/** Runs a command that must do what it is printed for, and returns its output. */
export async function runs(command: string, env: ShellEnv): Promise<string> {
  const { code, out, err } = await runPrinted(command, env);
  const codes = MAY_FAIL.test(command) ? [0, 1] : isEndless(command) ? [0, STOPPED] : [0];
  expect(codes, `npx touchline ${command}\n${out.slice(-2_000)}${err}`).toContain(code);
  expect(err, `npx touchline ${command}`).not.toMatch(/no broker: |cannot be reached/);
  return out;
}

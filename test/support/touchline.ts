/** Runs the command line in a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { atEnd } from './at-end.ts';
import { commandLine } from './bundled.ts';
import { bareEnvironment } from './environment.ts';
import { until } from './poll.ts';

/** A run of `touchline`; `out` and `err` grow with its output. */
export type TouchlineRun = {
  readonly child: ChildProcess;
  out: string;
  err: string;
  /** Exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>;
};

/** Starts `touchline` with these arguments and only this environment. It is stopped after the test. `program`: default its bundle. */
export function touchline(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  nodeArgs: readonly string[] = [],
  cwd?: string,
  program = commandLine(),
): TouchlineRun {
  const child = spawn(process.execPath, [...nodeArgs, program, ...args], {
    cwd,
    env: { ...bareEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => child.kill('SIGKILL'));
  const run: TouchlineRun = {
    child,
    out: '',
    err: '',
    ended: once(child, 'close').then(([code, signal]) => code ?? signal),
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    run.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    run.err += text;
  });
  return run;
}

/** Waits until a run has written `text`, and returns what matched. Rejects when the run ends without it. */
export async function written(run: TouchlineRun, text: string | RegExp): Promise<readonly string[]> {
  const printed = (): string => `${run.out}${run.err}`;
  const found = (part: string): readonly string[] | null =>
    typeof text === 'string' ? (part.includes(text) ? [text] : null) : text.exec(part);
  return until(`the output has ${text}`, () => {
    const match = found(run.out) ?? found(run.err);
    if (match !== null) return match;
    const { exitCode, signalCode } = run.child;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`it ended with ${exitCode ?? signalCode} and wrote:\n${printed()}`);
    return undefined;
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; so far:\n${printed()}`);
  });
}

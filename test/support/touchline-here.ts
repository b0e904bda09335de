/**
 * Runs commands of the command line in this process, because a new process takes most of a second of CPU time
 * to start.
 */
import { vi } from 'vitest';
import { run } from '../../cli/run.ts';
import { bareEnvironment } from './environment.ts';

export type CommandOutput = { readonly code: number | null; readonly out: string; readonly err: string };

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command as `touchline` does, with only this environment. Commands run one after the other, because they share
 * the environment and the output of this process. For commands that end by themselves; tests of signals, pipes or the
 * version of Node need a process: `touchline`.
 */
export function touchlineHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandOutput> {
  const ran = last.then(() => runHere(args, env));
  last = ran.catch(() => {});
  return ran;
}

async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandOutput> {
  let out = '';
  let err = '';
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      out += text;
      return true;
    }),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      err += text;
      return true;
    }),
  ];
  const outer = process.env;
  process.env = { ...bareEnvironment(), ...env };
  try {
    const code = await run(args);
    return { code, out, err };
  } finally {
    process.env = outer;
    // The command unreferences the channel to the parent (libs/service/stop-requests.ts), which keeps this process
    // alive.
    process.channel?.ref();
    for (const spy of spies) spy.mockRestore();
  }
}

/** Runs commands of the command line without a process of their own, which takes most of a second of CPU to start. */
import { vi } from 'vitest';
import { run } from '../../cli/run.ts';
import { bareEnvironment } from './environment.ts';

/** What a command has written, and its exit code. */
export type Ran = { readonly code: number | null; readonly out: string; readonly err: string };

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command as `touchline` does, with this environment alone, one after the other: they share the environment and
 * the output of this process. For those that end by themselves; what belongs to the process (signals, pipes, which Node) needs one:
 * `touchline`.
 */
export function touchlineHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const ran = last.then(() => runHere(args, env));
  last = ran.catch(() => {});
  return ran;
}

async function runHere(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
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
    // A command does not wait for its parent (libs/service/stop-requests.ts); this process lives by the channel to its own.
    process.channel?.ref();
    for (const spy of spies) spy.mockRestore();
  }
}

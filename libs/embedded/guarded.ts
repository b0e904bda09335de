import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Env } from './settings.ts';

/** The end of a process: its exit code, or the signal that ended it. */
export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** Returns how a process ended, without its name. */
export function endText({ code, signal }: Exit): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

/**
 * Shell script that starts a watcher, then replaces itself by the command, so that the child process is the command itself.
 * The watcher waits on a pipe that only the parent holds: when the parent ends, even by a kill, the pipe ends and the watcher
 * ends the command. A line on the pipe means that the command has already ended.
 * $1: seconds between SIGTERM and SIGKILL; the rest: the command.
 */
const GUARD = `
grace=$1; shift
exec 3<&0
/bin/sh -c '
  trap "" HUP INT TERM
  if IFS= read -r ended; then exit 0; fi
  kill -TERM "$1" 2>/dev/null
  waited=0
  while kill -0 "$1" 2>/dev/null && [ "$waited" -lt "$2" ]; do sleep 1; waited=$((waited + 1)); done
  kill -KILL "$1" 2>/dev/null
' touchline-guard "$$" "$grace" <&3 &
exec "$@" </dev/null 3<&-
`;

export type GuardedOptions = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Env;
  readonly cwd?: string;
  /** File for standard output and standard error; truncated first. */
  readonly outputFile: string;
  /** Seconds between SIGTERM and SIGKILL after the parent has ended. Default 8. */
  readonly graceSeconds?: number;
};

/** A child process that ends with this process, even when this process is killed. It keeps this process alive only after a signal. */
export type Guarded = {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  running(): boolean;
  /** Sends the signal, unless the process has ended. */
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGTERM, and SIGKILL if the process still runs after `timeoutMs`. */
  stop(timeoutMs: number): Promise<Exit>;
};

/** Starts a command that ends with this process, in a group of its own: Ctrl-C reaches only this process, which stops it in order. */
export async function spawnGuarded(options: GuardedOptions): Promise<Guarded> {
  const { command, args, env, cwd, outputFile, graceSeconds = 8 } = options;
  const output = openSync(outputFile, 'w');
  const guarded = ['-c', GUARD, 'touchline-guard', String(graceSeconds), command, ...args];
  const stdio = ['pipe' as const, output, output];
  const child = spawn('/bin/sh', guarded, { detached: true, env: { ...env }, stdio, cwd });
  closeSync(output);
  const pipe = child.stdin as Socket;
  // A missing watcher is no error: the pipe only reports the end of the command.
  pipe.on('error', () => {});
  await once(child, 'spawn');
  child.unref();
  pipe.unref();

  let hasExited = false;
  const exited = once(child, 'exit').then(([code, signal]): Exit => {
    hasExited = true;
    pipe.end('ended\n');
    return { code, signal };
  });
  const signal = (name: NodeJS.Signals): void => {
    if (hasExited) return;
    child.ref();
    child.kill(name);
  };
  return {
    pid: child.pid ?? -1,
    exited,
    running: () => !hasExited,
    signal,
    async stop(timeoutMs) {
      signal('SIGTERM');
      const late = setTimeout(() => signal('SIGKILL'), timeoutMs);
      return exited.finally(() => clearTimeout(late));
    },
  };
}

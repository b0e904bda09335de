/** Runs `touchline demo` and `touchline up` as processes on the shared broker. */
import { existsSync, readFileSync } from 'node:fs';
import { backbone } from '../../setup/backbone.ts';
import { connectionEnv } from '../../support/environment.ts';
import { touchline as startTouchline, written } from '../../support/touchline.ts';

export const SECRET = 'a-secret-of-thirty-two-characters';

/** Settings of a short demonstration. */
export const SHORT = {
  MATCHES: '5',
  DURATION: '4',
  FAULTS: 'many',
  WEBHOOK_PORT: '0',
  API_PORT: '0',
  TOOLS_PORT: '0',
};

type Env = Readonly<Record<string, string>>;

/**
 * Number of processes of `touchline up`: receiver, monitor, both processors, dispatcher of webhooks, api with tool gateway.
 */
export const SERVED = 6;

/** Runs the command line on the shared broker, under a new prefix. */
export function touchline(args: readonly string[], env: Env) {
  const settings = {
    HOME: process.env.HOME ?? '',
    WEBHOOK_SECRET: SECRET.slice(0, 32),
    ...connectionEnv(backbone()),
    ...env,
  };
  const run = startTouchline(args, settings);
  return {
    child: run.child,
    /** Returns the output so far. */
    text: () => `${run.out}${run.err}`,
    /** Waits until the output contains `text`, and returns what matched. */
    says: (text: string | RegExp) => written(run, text),
    /** Waits until it exits, and returns the exit code, or the signal that ended it. */
    end: () => run.ended,
  };
}

/** Returns the processes whose standard input is a pipe from that process. */
export function services(pid: number | undefined): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

export function runs(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

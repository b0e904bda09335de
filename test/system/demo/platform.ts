/** Runs `touchline demo` and `touchline up` as processes on the shared broker. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { bareEnvironment, connectionEnv } from '../../support/environment.ts';

const ROOT = join(import.meta.dirname, '../../..');
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

type Run = {
  readonly child: ChildProcess;
  /** Returns the output so far. */
  text(): string;
  /** Waits until the output contains `text`. */
  says(text: string | RegExp): Promise<RegExpMatchArray>;
  /** Waits until it exits, and returns the exit code. */
  end(): Promise<number | null>;
};

type Env = Readonly<Record<string, string>>;

/**
 * Number of processes of `touchline up`: receiver, monitor, both processors, dispatcher of webhooks, api with tool gateway.
 */
export const SERVED = 6;

/** Runs the command line on the shared broker, under a new prefix. */
export function touchline(args: readonly string[], env: Env): Run {
  const child = spawn(process.execPath, ['bin/touchline.js', ...args], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...bareEnvironment(),
      HOME: process.env.HOME,
      TOUCHLINE_PARENT_PIPE: '1',
      WEBHOOK_SECRET: SECRET.slice(0, 32),
      ...connectionEnv(backbone()),
      ...env,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      printed += part;
    });
  }
  const ended = once(child, 'close');
  return {
    child,
    text: () => printed,
    async says(text) {
      for (;;) {
        const found = printed.match(text);
        if (found !== null) return found;
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode} and said:\n${printed}`);
        await delay(50);
      }
    },
    async end() {
      await ended;
      return child.exitCode;
    },
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

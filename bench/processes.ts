/** Runs child processes of the benches: the service under test, and the peer. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { nodeOptions } from '../cli/processes.ts';
import { programOf } from '../cli/services.ts';

/** A running process with its output in a file. */
export type Running = {
  readonly pid: number;
  readonly outputFile: string;
  /** Returns the cpu time so far, seconds; NaN when the system does not report it. */
  cpuSeconds(): Promise<number>;
  /** Returns the current and the peak resident memory, MiB; NaN when the system does not report it. */
  residentMiB(): Promise<Resident>;
  /** Sends SIGTERM and waits until it exits. Throws when it had failed before. */
  stop(): Promise<void>;
};

/** One running process. */
export type RunningProcess = Running & {
  /** Sends a signal and waits until it exits. */
  kill(signal: NodeJS.Signals): Promise<void>;
};

export type Resident = { readonly now: number; readonly peak: number };

/** The command of a process. */
export type ProcessCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

export type StartOptions = ProcessCommand & { readonly outputFile: string };

/** Timeout for an api that builds views of many events. */
const ANSWER_WITHIN_MS = 900_000;
const POLL_MS = 20;

const running = new Set<ChildProcess>();
process.on('exit', killAll);

/** Kills all processes that a failed bench has left. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts a process. It ends with this one, because its standard input closes then. */
export function start({ command, args, env, outputFile }: StartOptions): RunningProcess {
  const output = openSync(outputFile, 'w');
  const child = spawn(command, args, {
    env: { ...process.env, TOUCHLINE_PARENT_PIPE: '1', DRAIN_MS: '0', ...env },
    stdio: ['pipe', output, output],
  });
  closeSync(output);
  running.add(child);
  child.stdin?.on('error', () => {});
  const ended = new Promise<void>((resolve) => {
    child.on('error', () => resolve());
    child.on('exit', () => resolve());
  }).then(() => void running.delete(child));
  const pid = child.pid ?? 0;
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  return {
    pid,
    outputFile,
    cpuSeconds: () => cpuSecondsOf(pid),
    residentMiB: () => residentMiBOf(pid),
    kill,
    async stop() {
      const early = child.exitCode ?? child.signalCode;
      await kill('SIGTERM');
      if (early !== null)
        throw new Error(`${command} ${args.at(-1)} ended by itself (${early}): see ${outputFile}`);
    },
  };
}

/** Starts a script of this folder with options, which it reads as JSON from its first argument. */
export function startScript(file: string, options: object, outputFile: string): Running {
  return start({ command: process.execPath, args: scriptArguments(file, options), outputFile });
}

/** Runs a script of this folder with options, and returns the result that it prints as JSON. */
export async function runScript<R>(file: string, options: object, env = process.env): Promise<R> {
  const { stdout } = await promisify(execFile)(process.execPath, scriptArguments(file, options), { env });
  return JSON.parse(stdout);
}

function scriptArguments(file: string, options: object): string[] {
  return [join(import.meta.dirname, file), JSON.stringify(options)];
}

/** Starts a service of this repository with settings in the environment. */
export function startService(name: string, dir: string, env: Readonly<Record<string, string>>): Running {
  const command = serviceCommand(name, env);
  return start({ ...command, outputFile: join(dir, `${name}-${randomUUID()}.log`) });
}

/** Returns the command line of a service. */
export function serviceCommand(name: string, env: Readonly<Record<string, string>>): ProcessCommand {
  return {
    command: process.execPath,
    args: [programOf(name)],
    env: {
      NODE_OPTIONS: nodeOptions(),
      METRICS_PORT: '0',
      LOG_LEVEL: 'info',
      // As if each process were on its own host.
      GROUP_INSTANCE_ID: `bench-${randomUUID()}`,
      ...env,
    },
  };
}

/** Waits for the first successful answer of a process on this machine, and returns its body. */
export async function answered(port: number, path: string): Promise<Buffer> {
  const until = performance.now() + ANSWER_WITHIN_MS;
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
    if (response?.ok) return Buffer.from(await response.arrayBuffer());
    await response?.arrayBuffer();
    if (performance.now() > until) throw new Error(`port ${port} does not answer ${path}`);
    await delay(POLL_MS);
  }
}

/** Combines several processes into one. */
export function together(all: readonly Running[]): Running {
  const [first] = all;
  if (first === undefined) throw new Error('no process to run');
  if (all.length === 1) return first;
  return {
    pid: first.pid,
    outputFile: first.outputFile,
    async cpuSeconds() {
      const each = await Promise.all(all.map((running) => running.cpuSeconds()));
      return each.reduce((sum, seconds) => sum + seconds, 0);
    },
    async residentMiB() {
      const each = await Promise.all(all.map((running) => running.residentMiB()));
      return each.reduce((sum, { now, peak }) => ({ now: sum.now + now, peak: sum.peak + peak }));
    },
    async stop() {
      await Promise.all(all.map((running) => running.stop()));
    },
  };
}

const TICKS_PER_SECOND = 100;

/** Returns the cpu time of a process so far, seconds; NaN when the system does not report it. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return Number.NaN;
  }
}

async function residentMiBOf(pid: number): Promise<Resident> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const mib = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1024;
  return { now: mib('VmRSS'), peak: mib('VmHWM') };
}

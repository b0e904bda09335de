import { accessSync, constants, statfsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { adviceOf, type Shortage, shortageIn, shortageOf, withAdvice } from '#errors/shortages.ts';
import { machineClock } from '#timing/clock.ts';
import { poll } from '#timing/poll.ts';
import { backoffMs } from '#timing/retry.ts';
import { type Exit, endText, type Guarded, type GuardedOptions, spawnGuarded } from './guarded.ts';
import { EmbeddedError } from './settings.ts';

/** A Java server to run: its command, readiness check and log files. */
type ServerSpec = {
  /** Its name in messages, such as "Kafka broker". */
  readonly name: string;
  readonly process: GuardedOptions;
  /** Its log of this start; that of the last one is kept beside it, as `<log>.last`. */
  readonly logFile: string;
  /** Called with its pid when it runs, before it is ready. */
  readonly onSpawned?: (pid: number) => Promise<void>;
  ready(): Promise<boolean>;
  readonly readyTimeoutMs: number;
  /** Timeout of a graceful stop; after it the server is killed. */
  readonly stopTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
};

/** A running server. */
export type RunningServer = Pick<Guarded, 'pid' | 'exited' | 'ended' | 'running' | 'signal'> & {
  /** Returns how it ended, without its name: with what it lacked, and what to do. Call when it has ended. */
  endText(): Promise<string>;
  stop(): Promise<void>;
};

/** Controls of a server for the process that started it. */
export type Controls = {
  /** Pid of the current process; undefined while the server is down. */
  readonly pid: number | undefined;
  readonly exited: Promise<Exit>;
  /** Returns how the last process ended, as that of `RunningServer`. */
  endText(): Promise<string>;
  /** Sends the signal (default: SIGKILL). Waits for the end of the server, except after SIGSTOP and SIGCONT. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts the server if it is down; `signal` aborts the start of a registry. Rejects after `stop`. */
  start(signal?: AbortSignal): Promise<void>;
  restart(): Promise<void>;
  /** Stops for good: gracefully, after a timeout by force. */
  stop(): Promise<void>;
};

const TAIL_LINES = 15;
const TAIL_CHARACTERS = 16_384;
/** A server stops before the last byte of its disk: it creates files of several MiB at once. */
const FULL_BYTES = 16 * 1024 * 1024;

/** Starts the server and waits until it is ready. Rejects with START_FAILED, START_TIMEOUT or PORT_IN_USE, and the end of its log. */
export async function startServer(spec: ServerSpec): Promise<RunningServer> {
  const { logFile } = spec;
  const { outputFile } = spec.process;
  if (logFile !== outputFile) await rename(logFile, `${logFile}.last`).catch(() => {});
  /** The ends of the log and of the output; empty where they cannot be read. */
  const tails = async () => {
    const files = [...new Set([logFile, outputFile])];
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
    return texts.map((text) => text.slice(-TAIL_CHARACTERS).trimEnd());
  };
  const child = await spawnGuarded(spec.process);
  const logFolder = dirname(outputFile);
  const end = async (): Promise<string> => {
    const how = endText(await child.ended());
    const why = lackOf(await tails(), logFolder);
    return why === null ? how : `${how}: ${why}`;
  };
  try {
    await spec.onSpawned?.(child.pid);
  } catch (error) {
    // Left running, it would hold the port and the folder of every later start.
    await child.stop(spec.stopTimeoutMs);
    throw error;
  }
  const outcome = await poll(
    async () => {
      if (!child.running()) return 'ended';
      if (spec.signal?.aborted) await child.stop(spec.stopTimeoutMs);
      return (await spec.ready()) ? 'ready' : undefined;
    },
    { timeoutMs: spec.readyTimeoutMs },
  );
  if (outcome === 'ready') {
    return { ...child, endText: end, stop: async () => void (await child.stop(spec.stopTimeoutMs)) };
  }

  if (outcome === undefined) await child.stop(2_000);
  const exit = await child.ended();
  const written = await tails();
  const tail = written.flatMap((text) => (text === '' ? [] : text.split('\n').slice(-TAIL_LINES))).join('\n');
  const log = `\n${tail || '(its log is empty)'}\n(${logFile}, ${outputFile})`;
  if (/Address already in use|Port already bound|seems to be in use by another process/i.test(tail)) {
    throw new EmbeddedError('PORT_IN_USE', `another process uses the port of the ${spec.name}:${log}`);
  }
  if (outcome === 'ended') {
    const how = exit.signal ?? `code ${exit.code}`;
    const why = lackOf(written, logFolder);
    throw new EmbeddedError(
      'START_FAILED',
      `the ${spec.name} ended while starting (${how}):${why === null ? log : ` ${why}`}`,
    );
  }
  const seconds = Math.round(spec.readyTimeoutMs / 1000);
  throw new EmbeddedError('START_TIMEOUT', `the ${spec.name} was not ready within ${seconds} s:${log}`);
}

/** Returns the controls of a running server. Calls `onStopped` after `stop`. */
export function controls(
  first: RunningServer,
  startAgain: (signal?: AbortSignal) => Promise<RunningServer>,
  onStopped: () => void = () => {},
): Controls {
  let server = first;
  let stopped = false;
  const start = async (signal?: AbortSignal) => {
    if (stopped)
      throw new EmbeddedError('START_FAILED', 'a stopped server cannot be restarted: start a new one');
    if (!server.running()) server = await startAgain(signal);
  };
  return {
    get pid() {
      return server.running() ? server.pid : undefined;
    },
    get exited() {
      return server.exited;
    },
    endText: () => server.endText(),
    kill: async (signal = 'SIGKILL') => {
      server.signal(signal);
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await server.ended();
    },
    start,
    restart: async () => {
      await server.stop();
      await start();
    },
    stop: async () => {
      stopped = true;
      await server.stop();
      onStopped();
    },
  };
}

/** Returns what a server lacked that ended, and what to do; null when neither its logs nor their full disk shows it. */
function lackOf(written: readonly string[], folder: string): string | null {
  const lacked = shortageIn(written.join('\n')) ?? diskShortage(folder);
  return lacked === null ? null : `${adviceOf(lacked)} (${folder})`;
}

function diskShortage(folder: string): Shortage | null {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < FULL_BYTES ? 'ENOSPC' : null;
  } catch (error) {
    return shortageOf(error);
  }
}

const RESTART = { firstMs: 500, ceilingMs: 10_000 };

/** Starts a server again whenever it ends by itself, until `signal`. Calls `onProblem` with each end and failed start. */
export async function supervise(
  name: string,
  server: Controls,
  { onProblem, signal }: { readonly onProblem: (line: string) => void; readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    await server.exited;
    if (signal.aborted) return;
    let text = await server.endText();
    for (let failures = 1; ; failures += 1) {
      const wait = backoffMs(RESTART, failures);
      onProblem(`${name} ${text}; starting it again in ${wait / 1000} s`);
      await machineClock.sleep(wait, signal);
      if (signal.aborted) return;
      try {
        await server.start(signal);
        break;
      } catch (error) {
        if (signal.aborted) return;
        text = `cannot be started (${withAdvice(error as Error)})`;
      }
    }
    // Stopped meanwhile, and the stop did not know the new process.
    if (signal.aborted) return await server.stop();
    onProblem(`${name} runs again`);
  }
}

import { accessSync, constants, statfsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { adviceOf, type Shortage, shortageIn, shortageOf, withAdvice } from '#errors/shortages.ts';
import { makeFolder } from '#security/folders.ts';
import { machineClock } from '#timing/clock.ts';
import { poll } from '#timing/poll.ts';
import { backoffMs } from '#timing/retry.ts';
import { type Exit, endText, type Guarded, type GuardedOptions, spawnGuarded } from './guarded.ts';
import { requireFree } from './ports.ts';
import { EmbeddedError } from './settings.ts';

/** A Java server to run. */
export type ServerSpec = Pick<GuardedOptions, 'command' | 'args' | 'env'> & {
  /** Its name in messages, such as "Kafka broker", and of its logs. */
  readonly name: string;
  readonly log: string;
  readonly folder: string;
  /** The port that it listens on, which must be free. */
  readonly port: number;
  ready(): Promise<boolean>;
  /** Called with its pid when it runs, before it is ready. */
  onSpawned?(pid: number): Promise<void>;
  onStopped?(): void;
};

/** Far above the usual time, for busy machines. */
const READY_TIMEOUT_MS = 180_000;
/** Timeout of a graceful stop; after it the server is killed. */
const STOP_TIMEOUT_MS = 30_000;
const TAIL_LINES = 15;
const TAIL_CHARACTERS = 16_384;

/** A server for the process that started it, with which it ends, even by a kill. */
export class Server {
  readonly #spec: ServerSpec;
  readonly #files: { readonly log: string; readonly output: string };
  #child: Guarded | undefined;
  #isStopped = false;

  constructor(spec: ServerSpec) {
    this.#spec = spec;
    const logs = join(spec.folder, 'logs');
    this.#files = { log: join(logs, `${spec.log}.log`), output: join(logs, `${spec.log}.out`) };
    makeFolder(logs);
  }

  /** Pid of the current process; undefined while the server is down. */
  get pid(): number | undefined {
    return this.#child?.running() ? this.#child.pid : undefined;
  }

  /** The end of the last process; null before the first. */
  get exited(): Promise<Exit> | null {
    return this.#child?.exited ?? null;
  }

  /**
   * Starts the server if it is down, and waits until it is ready; `signal` aborts that. Rejects with START_FAILED, START_TIMEOUT or
   * PORT_IN_USE, and the end of its log.
   */
  async start(signal?: AbortSignal): Promise<void> {
    const { name, folder, port, ready, onSpawned, ...program } = this.#spec;
    const { log, output: outputFile } = this.#files;
    if (this.#isStopped) throw new EmbeddedError('START_FAILED', `the ${name} was stopped: start a new one`);
    if (this.#child?.running()) return;
    await requireFree(port);
    await rename(log, `${log}.last`).catch(() => {});
    const child = await spawnGuarded({ ...program, cwd: folder, outputFile });
    this.#child = child;
    const isReady = async (): Promise<boolean> => {
      if (signal?.aborted) await child.stop(STOP_TIMEOUT_MS);
      return !child.running() || (await ready());
    };
    try {
      await onSpawned?.(child.pid);
      const inTime = await poll(isReady, { timeoutMs: READY_TIMEOUT_MS });
      if (inTime && child.running()) return;
      throw await this.#failure(inTime ? endText(await child.exited) : null);
    } catch (error) {
      // Left running, it would hold the port and the folder of every later start.
      await child.stop(STOP_TIMEOUT_MS);
      throw error;
    }
  }

  /** `ended`: how it ended; null: it was not ready in time. */
  async #failure(ended: string | null): Promise<EmbeddedError> {
    const { name, folder } = this.#spec;
    const texts = await this.#tails();
    const lines = texts.flatMap((text) => (text === '' ? [] : text.split('\n').slice(-TAIL_LINES)));
    const tail = lines.join('\n') || '(its log is empty)';
    const log = `\n${tail}\n(${Object.values(this.#files).join(', ')})`;
    if (ended === null) {
      const seconds = READY_TIMEOUT_MS / 1_000;
      return new EmbeddedError('START_TIMEOUT', `the ${name} was not ready within ${seconds} s:${log}`);
    }
    const lacked = lackOf(texts.join('\n'), folder);
    const why = lacked === null ? log : ` ${lacked}`;
    return new EmbeddedError('START_FAILED', `the ${name} ${ended} while it started:${why}`);
  }

  /** Returns the ends of the log and of the output; empty where they cannot be read. */
  #tails(): Promise<string[]> {
    const files = Object.values(this.#files);
    return Promise.all(
      files.map(async (file) =>
        (await readFile(file, 'utf8').catch(() => '')).slice(-TAIL_CHARACTERS).trimEnd(),
      ),
    );
  }

  /** Waits for the end of the last process. Returns how it ended, without its name: with what it lacked, and what to do. */
  async endText(): Promise<string> {
    const how = endText((await this.#child?.exited) as Exit);
    const lacked = lackOf((await this.#tails()).join('\n'), this.#spec.folder);
    return lacked === null ? how : `${how}: ${lacked}`;
  }

  /** Sends the signal (default: SIGKILL). Waits for the end of the server, except after SIGSTOP and SIGCONT. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#child?.signal(signal);
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await this.#child?.exited;
  }

  /** Stops for good: gracefully, after a timeout by force. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#child?.stop(STOP_TIMEOUT_MS);
    this.#spec.onStopped?.();
  }
}

/** A server stops before the last byte of its disk: it creates files of several MiB at once. */
const FULL_BYTES = 16 * 1024 * 1024;

/** Returns what a server lacked that ended, and what to do; null when neither what it wrote nor its full disk shows it. */
export function lackOf(written: string, folder: string): string | null {
  const lacked = shortageIn(written) ?? diskShortage(folder);
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
  server: Server,
  { onProblem, signal }: { readonly onProblem: (line: string) => void; readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    await server.exited;
    if (signal.aborted) return;
    let text = await server.endText();
    for (let failures = 1; server.pid === undefined; failures += 1) {
      const wait = backoffMs(RESTART, failures);
      onProblem(`${name} ${text}; starting it again in ${wait / 1000} s`);
      await machineClock.sleep(wait, signal);
      if (signal.aborted) return;
      text = await server.start(signal).then(
        () => 'has ended again',
        (error: Error) => `cannot be started (${withAdvice(error)})`,
      );
      if (signal.aborted) return;
    }
    onProblem(`${name} runs again`);
  }
}

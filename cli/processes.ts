/** The services as child processes: starts, watches and restarts them, stops them in order. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '#contract/values.ts';
import { TouchlineError } from '#errors/touchline-error.ts';
import { isBrokerDefect } from '#kafka-20734/detection.ts';
import { urlHost } from '#service/addresses.ts';
import { heapFlags, mallocSettings } from '#service/memory.ts';
import { backoffMs } from '#timing/backoff.ts';

export type ServiceProcessOptions = {
  /** Folder of the service. */
  readonly name: string;
  /** Its settings, on top of this process's environment. */
  readonly settings: Readonly<Record<string, string>>;
  /** File that its log is appended to. */
  readonly logFile: string;
  /** Whether it is started again when it ends unasked. */
  readonly restart: boolean;
  /** Called with warnings, errors, ends and restarts. One line without a line end. */
  readonly onTrouble: (line: string) => void;
};

export type ProcessEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A process that failed to start or to stay up. */
export class ProcessError extends TouchlineError<'ProcessError'> {
  override readonly name = 'ProcessError';

  constructor(name: string, why: string) {
    super('PROCESS_FAILED', `${name}: ${why}`);
  }
}

const SERVICES = join(import.meta.dirname, '../services');

/** A service's settings are wrong: starting it again would not help. */
const WRONG_SETTINGS = 2;
const RESTART = { firstMs: 500, ceilingMs: 10_000 };
/** A process that ran this long is not one that dies at its start. */
const WELL_AFTER = 30_000;
/** Failed starts after which it is not restarted. */
const TRIES_TO_START = 3;
const STOP_WITHIN = 20_000;
const LOOK_EVERY = 50;
const WARN = 40;

/** A service that runs as a child process. It ends with this process, however this one ends. */
export class ServiceProcess {
  readonly name: string;
  /** Settles when it has ended for good. */
  readonly ended: Promise<ProcessEnd>;
  readonly #options: ServiceProcessOptions;
  readonly #log: WriteStream;
  readonly #finish: (end: ProcessEnd) => void;
  #child: ChildProcess | null = null;
  #opsUrl: string | null = null;
  #end: ProcessEnd | null = null;
  #stopping = false;
  #everReady = false;
  #failures = 0;
  #lastWords = '';

  constructor(options: ServiceProcessOptions) {
    this.name = options.name;
    this.#options = options;
    mkdirSync(dirname(options.logFile), { recursive: true });
    this.#log = createWriteStream(options.logFile, { flags: 'a' });
    const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
    this.ended = promise;
    this.#finish = resolve;
    this.#spawn();
  }

  /** Waits until it does its work. Throws `ProcessError` where it ended for good. */
  async ready(): Promise<void> {
    while (!(await this.#isReady())) {
      if (this.#end !== null) throw new ProcessError(this.name, this.#lastWords || endText(this.#end));
      await delay(LOOK_EVERY);
    }
    this.#everReady = true;
  }

  /** Asks it to end, ends it by force where it does not, and waits. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#child === null) return this.#finished({ code: 0, signal: null });
    this.#child.kill('SIGTERM');
    const late = setTimeout(() => this.#child?.kill('SIGKILL'), STOP_WITHIN);
    await this.ended;
    clearTimeout(late);
  }

  #spawn(): void {
    // In a group of its own: Ctrl-C reaches the parent only, which then stops things in order.
    const child = spawn(process.execPath, [...heapFlags(this.name), join(SERVICES, this.name, 'main.ts')], {
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
      env: {
        ...mallocSettings(this.name),
        ...process.env,
        METRICS_PORT: '0',
        // No proxy has to notice that it stops.
        DRAIN_MS: '0',
        ...this.#options.settings,
        TOUCHLINE_PARENT_PIPE: '1',
      },
    });
    const startedAt = performance.now();
    this.#child = child;
    this.#opsUrl = null;
    // The pipe closes when this process ends; if it breaks, the child has ended.
    child.stdin?.on('error', () => {});
    if (child.stderr !== null)
      createInterface({ input: child.stderr }).on('line', (line) => this.#onLine(line));
    child.once('error', (error) => {
      this.#lastWords = error.message;
      this.#onEnd({ code: 1, signal: null }, startedAt);
    });
    // 'close', not 'exit': its last line is read before.
    child.once('close', (code, signal) => this.#onEnd({ code, signal }, startedAt));
  }

  #onEnd(end: ProcessEnd, startedAt: number): void {
    if (this.#child === null) return;
    this.#child = null;
    const ranWell = this.#everReady && performance.now() - startedAt > WELL_AFTER;
    this.#failures = ranWell ? 1 : this.#failures + 1;
    const hopeless = end.code === WRONG_SETTINGS || (!this.#everReady && this.#failures >= TRIES_TO_START);
    if (this.#stopping || !this.#options.restart || hopeless) {
      this.#finished(end);
      return;
    }
    const wait = backoffMs(RESTART, this.#failures);
    this.#options.onTrouble(`${this.name} ${endText(end)}; starting it again in ${wait / 1000} s`);
    setTimeout(() => {
      if (!this.#stopping) this.#spawn();
    }, wait).unref();
  }

  #finished(end: ProcessEnd): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.#log.end();
    this.#finish(end);
  }

  #onLine(line: string): void {
    this.#log.write(`${line}\n`);
    const entry = parseLine(line);
    if (entry === null) {
      this.#lastWords = line;
      this.#options.onTrouble(`${this.name}: ${line}`);
      return;
    }
    if (entry.msg === 'metrics and health')
      this.#opsUrl = `http://${urlHost(entry.host ?? '')}:${entry.port}`;
    // Each service logs a defect of the brokers; the platform has logged it once.
    if (entry.level < WARN || isBrokerDefect(entry.code)) return;
    const text = [entry.msg, entry.err?.message ?? entry.reason].filter(Boolean).join(': ');
    this.#lastWords = entry.err?.message ?? text;
    this.#options.onTrouble(`${this.name}: ${text}`);
  }

  async #isReady(): Promise<boolean> {
    if (this.#opsUrl === null || this.#child === null) return false;
    const response = await fetch(`${this.#opsUrl}/health/ready`, {
      signal: AbortSignal.timeout(2_000),
    }).catch(() => null);
    await response?.body?.cancel();
    return response?.ok ?? false;
  }
}

type LogLine = {
  level: number;
  msg?: string;
  code?: string;
  host?: string;
  port?: number;
  reason?: string;
  err?: { message?: string };
};

/** A line of a pino log; null where it is something else. */
function parseLine(line: string): LogLine | null {
  return line.startsWith('{') ? ((parseJson(line) as LogLine | undefined) ?? null) : null;
}

function endText({ code, signal }: ProcessEnd): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

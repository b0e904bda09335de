/** Runs services as child processes: starts, watches, restarts and stops them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { isBrokerDefect } from '#cluster/broker-defects.ts';
import { type Exit, endText } from '#embedded/guarded.ts';
import { adviceOf, RAISE_HEAP, withAdvice } from '#errors/shortages.ts';
import { urlHost } from '#service/addresses.ts';
import { backoffMs } from '#timing/retry.ts';
import { CommandError } from './command.ts';
import { logFile, parseLine, problemOf } from './problem-lines.ts';
import { programOf } from './services.ts';

/**
 * Returns NODE_OPTIONS for the process of a service: heaps as in the image (20,000 scheduled matches, `npm run bench -- memory`: 251 MiB
 * resident instead of 374). What the user gives, overrides them.
 */
export function nodeOptions(given = process.env.NODE_OPTIONS ?? ''): string {
  return `--max-semi-space-size=8 --max-old-space-size=768 ${given}`;
}

export type ServiceProcessOptions = {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly restart: boolean;
  /** Called with each warning, error, end and restart: one line without a line end. `cause`: as of `problemOf`. */
  readonly onProblem: (line: string, cause: string | null) => void;
};

/** Exit code of a service with invalid settings, which a restart would not help. */
const INVALID_SETTINGS = 2;
const RESTART = { firstMs: 500, ceilingMs: 10_000 };
/** A process that ran longer did not fail at its start. */
const STABLE_AFTER_MS = 30_000;
const MAX_FAILED_STARTS = 3;
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 50;
/** What V8 writes when the heap is full, or the process gets no memory. */
const HEAP_IS_FULL = /JavaScript heap out of memory/;
const NO_MEMORY = /process out of memory|std::bad_alloc/;
/** The dumps around it. The first line on the last collections may begin with the end of an earlier one. */
const HEAP_DUMP = /^(<---|-----| *\d+: 0x|#|$)|\[\d+:0x[0-9a-f]+\] +\d+ ms: |\(average mu = /;
const WARN = 40;

/** A service that runs as a child process. It ends when this process ends, even by SIGKILL. */
export class ServiceProcess {
  readonly name: string;
  readonly #options: ServiceProcessOptions;
  readonly #log: ReturnType<typeof logFile>;
  readonly #ended = Promise.withResolvers<Exit>();
  readonly ended = this.#ended.promise;
  #child: ChildProcess | null = null;
  #opsUrl: string | null = null;
  #end: Exit | null = null;
  #stopping = false;
  #paused = false;
  #wasReady = false;
  #failures = 0;
  #lastError = '';
  #output: string[] = [];

  constructor(options: ServiceProcessOptions) {
    this.name = options.name;
    this.#options = options;
    this.#log = logFile(options.logFile, (line) => options.onProblem(line, null));
    this.#spawn();
  }

  /** Waits until it is ready. Throws `CommandError` PROCESS_FAILED when it ended and is not restarted. */
  async ready(): Promise<void> {
    while (!(await this.#isReady())) {
      if (this.#end !== null) throw this.#failure(this.#end);
      await delay(POLL_MS);
    }
    this.#wasReady = true;
  }

  #failure(end: Exit): CommandError {
    // All wrong settings, with the name of the service before them.
    const settings =
      end.code === INVALID_SETTINGS ? this.#output.join('\n').replace(`${this.name}: `, '') : '';
    return new CommandError(`${this.name}: ${settings || this.#lastError || endText(end)}`, 'PROCESS_FAILED');
  }

  /** Stops the process, without waiting for its end, or starts it again, as one that has not failed yet. */
  pause(isPaused: boolean): void {
    if (this.#paused === isPaused || this.#end !== null) return;
    this.#paused = isPaused;
    this.#options.onProblem(`${this.name} ${isPaused ? 'is stopped for a command' : 'starts again'}`, null);
    this.#failures = 0;
    if (isPaused) this.#terminate();
    // A process that still stops is started again at its end.
    else if (this.#child === null) this.#spawn();
  }

  #terminate(): void {
    const child = this.#child;
    child?.kill('SIGTERM');
    const late = setTimeout(() => child?.kill('SIGKILL'), STOP_TIMEOUT_MS);
    child?.once('close', () => clearTimeout(late));
  }

  /** Stops it with SIGTERM, after 20 seconds with SIGKILL, and waits for its end. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#child === null) return this.#finished({ code: 0, signal: null });
    this.#terminate();
    await this.ended;
  }

  #spawn(): void {
    // Detached into its own group: Ctrl-C reaches this process only, which then stops the services in order.
    const child = spawn(process.execPath, [programOf(this.name)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
      env: {
        ...process.env,
        NODE_OPTIONS: nodeOptions(),
        METRICS_PORT: '0',
        // No proxy needs time to notice that it stops.
        DRAIN_MS: '0',
        ...this.#options.settings,
        TOUCHLINE_PARENT_PIPE: '1',
      },
    });
    const startedAt = performance.now();
    this.#child = child;
    this.#opsUrl = null;
    this.#output = [];
    // The child watches this pipe for the end of this process. An error on it means that the child has ended.
    child.stdin?.on('error', () => {});
    // Neither exists when this process has no free descriptor.
    if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => this.#onLine(line));
    child.once('error', (error) => {
      this.#lastError = withAdvice(error);
      this.#onEnd({ code: 1, signal: null }, startedAt, `cannot be started (${this.#lastError})`);
    });
    // Not 'exit': 'close' comes after the last line was read.
    child.once('close', (code, signal) => this.#onEnd({ code, signal }, startedAt));
  }

  #onEnd(end: Exit, startedAt: number, text = endText(end)): void {
    if (this.#child === null) return;
    this.#child = null;
    if (this.#paused && !this.#stopping) return;
    const wasStable = this.#wasReady && performance.now() - startedAt > STABLE_AFTER_MS;
    this.#failures = wasStable ? 1 : this.#failures + 1;
    const neverStarts = !this.#wasReady && this.#failures >= MAX_FAILED_STARTS;
    const givesUp = end.code === INVALID_SETTINGS || neverStarts;
    if (this.#stopping || !this.#options.restart || givesUp) this.#finished(end);
    else this.#restart(text);
  }

  #restart(text: string): void {
    const wait = backoffMs(RESTART, this.#failures);
    this.#options.onProblem(`${this.name} ${text}; starting it again in ${wait / 1000} s`, null);
    setTimeout(() => {
      if (!this.#stopping && !this.#paused && this.#child === null) this.#spawn();
    }, wait).unref();
  }

  #finished(end: Exit): void {
    this.#end ??= end;
    this.#ended.resolve(this.#end);
  }

  #onLine(line: string): void {
    this.#log(line);
    const entry = parseLine(line);
    if (entry === null) {
      const text = textOfOutput(line);
      if (text === null) return;
      this.#lastError = text;
      this.#output.push(text);
      this.#options.onProblem(`${this.name}: ${text}`, null);
      return;
    }
    if (entry.msg === 'metrics and health')
      this.#opsUrl = `http://${urlHost(entry.host ?? '')}:${entry.port}`;
    // Every service logs a defect of the brokers, which the platform has already reported.
    if (entry.level < WARN || isBrokerDefect(entry.code)) return;
    const { text, cause } = problemOf(entry);
    this.#lastError = entry.err?.message ?? text;
    this.#options.onProblem(`${this.name}: ${text}`, cause);
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

/** Returns what to show of a line that is not of the log; null for a line of a dump of V8. */
export function textOfOutput(line: string): string | null {
  if (HEAP_IS_FULL.test(line)) return `its heap is full: ${RAISE_HEAP}`;
  if (NO_MEMORY.test(line)) return adviceOf('ENOMEM');
  return HEAP_DUMP.test(line) ? null : line;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { atEnd } from './at-end.ts';
import { serviceProgram } from './bundled.ts';
import { bareEnvironment } from './environment.ts';
import { metricValue } from './metric-value.ts';
import { until, untilTrue } from './poll.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The line in which a process names the port of its metrics and health. */
const OPS = '"metrics and health"';
/** The lines in which a process names the port of its clients. */
const SERVED = ['"listening"', '"POST /webhook"'];

type LogLine = Readonly<Record<string, unknown>> & { readonly port: number };

export class TestService {
  readonly #child: ChildProcess;
  /** Every line of its log so far. */
  readonly lines: string[] = [];

  constructor(child: ChildProcess) {
    this.#child = child;
    if (child.stderr !== null)
      createInterface({ input: child.stderr }).on('line', (line) => this.lines.push(line));
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('the process did not start');
    return pid;
  }

  /** Port of its metrics and health. Throws before the process has logged it. */
  get opsPort(): number {
    return this.#portOf(OPS);
  }

  get exited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The last lines of its log, for the message of a failure. */
  get log(): string {
    return this.lines.slice(-40).join('\n');
  }

  /** Port of its clients. Throws before the process has logged it. */
  get port(): number {
    return this.#portOf(...SERVED);
  }

  #portOf(...texts: readonly string[]): number {
    const line = this.#found(...texts);
    if (line === undefined) throw new Error('the process has not named its port yet');
    return line.port;
  }

  #found(...texts: readonly string[]): LogLine | undefined {
    const line = this.lines.find((one) => texts.some((text) => one.includes(text)));
    return line === undefined ? undefined : JSON.parse(line);
  }

  /** Waits for a line with this text in its log. */
  async logged(text: string, deadlineMs?: number): Promise<LogLine> {
    return this.#whileRunning(`the log says ${text}`, () => this.#found(text), deadlineMs);
  }

  /** Waits until it serves, and returns the base URL. */
  async url(): Promise<string> {
    await this.ready();
    return `http://127.0.0.1:${this.port}`;
  }

  /** Waits until it reports that it is ready. */
  async ready(): Promise<void> {
    await this.#answer('/health/ready');
  }

  /** Returns the sum of a metric over all its labels, or over the lines with this label, such as `code="FENCED"`. */
  async metric(name: string, label = ''): Promise<number> {
    return metricValue(await this.metrics(), name, label);
  }

  /** Returns all of its metrics as text. */
  async metrics(): Promise<string> {
    return this.#answer('/metrics');
  }

  /** Returns the first successful answer. */
  async #answer(path: string): Promise<string> {
    const { port } = await this.logged(OPS);
    return this.#whileRunning(`the service answers ${path}`, async () => {
      // A kept connection may be closed at the moment of the request.
      const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
      return response?.ok ? await response.text().catch(() => undefined) : undefined;
    });
  }

  #whileRunning<T>(
    what: string,
    look: () => T | undefined | Promise<T | undefined>,
    deadlineMs?: number,
  ): Promise<T> {
    const found = async () => {
      const value = await look();
      if (value === undefined && this.exited) throw new Error(`the service ended:\n${this.log}`);
      return value;
    };
    return until(what, found, deadlineMs);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends SIGTERM, waits until it exits, and returns its exit code. */
  stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Waits until it has exited with code 1 by itself, and returns the errors that it logged. */
  async failed(): Promise<{ readonly code?: string; readonly message: string }[]> {
    await untilTrue('the service ended', () => this.exited);
    expect(await this.stop(), this.log).toBe(1);
    return this.lines.map((line) => JSON.parse(line)).flatMap(({ level, err }) => (level >= 50 ? [err] : []));
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    if (!this.exited) {
      const ended = once(this.#child, 'exit');
      this.#child.kill(signal);
      if (signal === 'SIGKILL') this.#child.kill('SIGCONT');
      await ended;
    }
    return this.#child.exitCode;
  }
}

/**
 * Starts a service, or `API_AND_TOOLS`, with these settings, from the bundles of the run (`test/setup/programs.ts`); it is stopped
 * after the test or file. Its standard input is a pipe, so that it ends with this process.
 */
export function startService(name: string, settings: Readonly<Record<string, string>>): TestService {
  const child = spawn(process.execPath, [serviceProgram(name)], {
    cwd: ROOT,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: {
      ...bareEnvironment(),
      TOUCHLINE_PARENT_PIPE: '1',
      METRICS_PORT: '0',
      // No proxy needs time to remove it.
      DRAIN_MS: '0',
      // Each thread of a receiver loads all modules.
      LOG_LEVEL: 'info',
      // As if each process were on its own host.
      GROUP_INSTANCE_ID: `test-${randomUUID()}`,
      ...settings,
    },
  });
  const service = new TestService(child);
  atEnd(() => service.kill());
  return service;
}

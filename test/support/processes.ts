import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { programOf } from '../../cli/services.ts';
import { atEnd } from './at-end.ts';
import { bareEnvironment } from './environment.ts';
import { until } from './poll.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A service in a separate process, which is stopped after the test or file that started it. */
export class TestService {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  #opsPort: number | undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
    if (child.stderr !== null) {
      createInterface({ input: child.stderr }).on('line', (line) => {
        this.#lines.push(line);
        if (this.#opsPort === undefined && line.includes('"metrics and health"'))
          this.#opsPort = JSON.parse(line).port;
      });
    }
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('the process did not start');
    return pid;
  }

  /** Port of its metrics and health. Throws before the process has logged it. */
  get opsPort(): number {
    if (this.#opsPort === undefined) throw new Error('the process has not named its port yet');
    return this.#opsPort;
  }

  get exited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The last lines of its log, for the message of a failure. */
  get log(): string {
    return this.#lines.slice(-40).join('\n');
  }

  /** Every line of its log so far. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Waits until it reports that it is ready. */
  async ready(): Promise<void> {
    await this.#answer('/health/ready');
  }

  /** Returns the sum of a metric over all its labels, or over the lines with this label, such as `code="FENCED"`. */
  async metric(name: string, label = ''): Promise<number> {
    return (await this.metrics())
      .split('\n')
      .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(label))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  /** Returns all of its metrics as text. */
  async metrics(): Promise<string> {
    return this.#answer('/metrics');
  }

  /** Returns the first successful answer: a kept connection may be closed at the moment of the request. */
  #answer(path: string): Promise<string> {
    return until(`the service answers ${path}`, async () => {
      if (this.exited) throw new Error(`the service ended:\n${this.log}`);
      if (this.#opsPort === undefined) return undefined;
      const response = await fetch(`http://127.0.0.1:${this.#opsPort}${path}`).catch(() => null);
      return response?.ok ? await response.text().catch(() => undefined) : undefined;
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends SIGTERM, waits until it exits, and returns its exit code. */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Waits until it has exited with code 1 by itself, and returns the errors that it logged. */
  async failed(): Promise<{ readonly code?: string; readonly message: string }[]> {
    await until('the service ended', () => this.exited || undefined);
    expect(await this.stop(), this.log).toBe(1);
    return this.#lines
      .map((line) => JSON.parse(line))
      .flatMap(({ level, err }) => (level >= 50 ? [err] : []));
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

/** Starts a service, or `API_AND_TOOLS`, with these settings. Its standard input is a pipe, so that it ends with this process. */
export function startService(name: string, settings: Readonly<Record<string, string>>): TestService {
  const child = spawn(process.execPath, [programOf(name)], {
    cwd: ROOT,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: {
      ...bareEnvironment(),
      TOUCHLINE_PARENT_PIPE: '1',
      METRICS_PORT: '0',
      // No proxy needs time to remove it.
      DRAIN_MS: '0',
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

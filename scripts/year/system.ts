/** The platform that the year is played against: broker, registry and `touchline up` as processes on the fake clock. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Kafka, startKafka } from '#embedded/kafka.ts';
import { freePort } from '#embedded/ports.ts';
import { type SchemaRegistry, startRegistry } from '#embedded/registry.ts';
import { poll } from '#timing/poll.ts';
import { processNames } from '../../cli/services.ts';
import type { SteppedClock } from './clock.ts';

const TOUCHLINE = join(import.meta.dirname, '../../bin/touchline.js');
export const PREFIX = 'touchline.';

/** Brokers of a year delete and compact within seconds: a day of the year takes one. Topics keep the settings of the product. */
const FAST_BROKER = {
  'log.retention.check.interval.ms': '2000',
  'log.segment.delete.delay.ms': '1000',
  'log.cleaner.backoff.ms': '2000',
};

/** Timeout of a start of all services, milliseconds. */
const START_MS = 120_000;
/** Timeout of one command, milliseconds. */
const COMMAND_MS = 120_000;

/** What a command printed, and its exit code. */
export type CommandResult = { readonly code: number; readonly out: string };

/** A service that runs: its process and its metrics. */
export type YearService = { readonly name: string; readonly pid: number; readonly metricsUrl: string };

export class YearSystem {
  readonly kafka: Kafka;
  readonly registry: SchemaRegistry;
  /** The folder of everything: `registry`, `data`, and that of the broker. */
  readonly folder: string;
  readonly dataDir: string;
  readonly #clock: SteppedClock;
  readonly #env: Record<string, string>;
  #up: ChildProcess | null = null;
  /** What `touchline up` printed since the start of the year. */
  printed = '';

  private constructor(
    kafka: Kafka,
    registry: SchemaRegistry,
    { folder, clock, env }: { folder: string; clock: SteppedClock; env: Record<string, string> },
  ) {
    this.kafka = kafka;
    this.registry = registry;
    this.folder = folder;
    this.dataDir = join(folder, 'data');
    this.#clock = clock;
    this.#env = env;
  }

  /** Starts broker and registry; `startServices` starts the rest. */
  static async start(folder: string, clock: SteppedClock): Promise<YearSystem> {
    const faked = { ...process.env, ...clock.env };
    const kafka = await startKafka({
      dataDir: join(folder, 'kafka'),
      settings: FAST_BROKER,
      env: faked,
    });
    const registry = await startRegistry({
      brokers: kafka.brokers,
      dataDir: join(folder, 'registry'),
      env: faked,
      onProgress() {},
    });
    const ports = new Set<number>();
    while (ports.size < 4) ports.add(await freePort());
    const [webhook, api, tools, dispatcher] = [...ports];
    const env = {
      KAFKA_BROKERS: kafka.brokers.join(','),
      SCHEMA_REGISTRY_URL: registry.url,
      TOPIC_PREFIX: PREFIX,
      DATA_DIR: join(folder, 'data'),
      WEBHOOK_PORT: String(webhook),
      API_PORT: String(api),
      TOOLS_PORT: String(tools),
      DISPATCHER_PORT: String(dispatcher),
    };
    return new YearSystem(kafka, registry, { folder, clock, env });
  }

  /** The folder of the broker. */
  get kafkaFolder(): string {
    return join(this.folder, 'kafka');
  }

  /** The environment of a process of this system. */
  get environment(): Record<string, string | undefined> {
    return { ...process.env, ...this.#clock.env, ...this.#env };
  }

  url(port: 'WEBHOOK_PORT' | 'API_PORT'): string {
    return `http://127.0.0.1:${this.#env[port]}`;
  }

  /** Sets further settings of all services and commands, used from their next start. */
  set(settings: Readonly<Record<string, string>>): void {
    Object.assign(this.#env, settings);
  }

  /** Starts `touchline up`, and waits until all of its services are ready. */
  async startServices(): Promise<void> {
    const up = spawn(process.execPath, [TOUCHLINE, 'up'], {
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#up = up;
    let out = '';
    for (const stream of [up.stdout, up.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        out += text;
        this.printed += text;
      });
    const isUp = await poll(
      () => {
        if (up.exitCode !== null) throw new Error(`touchline up ended with ${up.exitCode}:\n${out}`);
        return Promise.resolve(out.includes('Ctrl-C stops everything') || undefined);
      },
      { timeoutMs: START_MS, everyMs: 50 },
    );
    if (isUp !== true) throw new Error(`touchline up is not ready:\n${out}`);
  }

  /** Stops `touchline up` as an operator does. Throws when it does not end with 0. */
  async stopServices(): Promise<void> {
    const up = this.#up;
    this.#up = null;
    if (up === null) return;
    const ended = once(up, 'exit');
    up.kill('SIGTERM');
    const [code] = await ended;
    if (code !== 0) throw new Error(`touchline up ended with ${code}:\n${this.printed.slice(-2_000)}`);
  }

  async stop(): Promise<void> {
    await this.stopServices();
    await this.registry.stop();
    await this.kafka.stop();
  }

  /** Runs `touchline` with these arguments on the fake clock. */
  command(args: readonly string[]): Promise<CommandResult> {
    const env = this.environment;
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [TOUCHLINE, ...args],
        { env, timeout: COMMAND_MS, maxBuffer: 64 * 1024 * 1024 },
        (error, stdout, stderr) =>
          resolve({
            code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1,
            out: stdout + stderr,
          }),
      );
    });
  }

  /** Runs a command that must succeed, and returns its output. */
  async succeed(...args: string[]): Promise<string> {
    const { code, out } = await this.command(args);
    if (code !== 0) throw new Error(`touchline ${args.join(' ')} ended with ${code}:\n${out}`);
    return out;
  }

  /** The lines of a process's log, parsed; also those of the file before the last rotation. */
  log(name: string): LogLine[] {
    const path = join(this.dataDir, 'logs', `${name}.log`);
    return [`${path}.1`, path]
      .filter((file) => existsSync(file))
      .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
      .filter((line) => line.startsWith('{'))
      .map((line): LogLine => JSON.parse(line));
  }

  /** The services that run now, by the last port and process that each logged. */
  services(): YearService[] {
    return processNames().flatMap((name) => {
      const line = this.log(name).findLast(({ msg }) => msg === 'metrics and health');
      // Without a provider no poller runs.
      return line === undefined || !existsSync(`/proc/${line.pid}`)
        ? []
        : [{ name, pid: line.pid, metricsUrl: `http://127.0.0.1:${line.port}/metrics` }];
    });
  }

  /** Waits until a condition holds. Throws with its name when it does not in time. */
  static async until(
    what: string,
    holds: () => Promise<boolean> | boolean,
    timeoutMs = 60_000,
  ): Promise<void> {
    const held = await poll(async () => ((await holds()) ? true : undefined), { timeoutMs, everyMs: 100 });
    if (held !== true) throw new Error(`not within ${timeoutMs / 1000} s: ${what}`);
  }
}

/** A line of a service's log. */
type LogLine = { readonly pid: number; readonly msg?: string; readonly port?: number };

import { once } from 'node:events';
import { httpUrl, list } from '#service/config.ts';
import { machineClock } from '#timing/clock.ts';
import { TopicAdminError } from '#topics/errors.ts';
import { findCluster } from '../../cluster.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { drawWhile } from '../../screen.ts';
import { terminalColumns } from '../../table.ts';
import { printLine, untilStopped } from '../../terminal.ts';
import { runChecks } from './checks.ts';
import type { command } from './command.ts';
import { findingLines, systemLines } from './render.ts';
import type { CheckResult } from './rules.ts';
import { SystemReader, type SystemTables } from './system.ts';

const TABLES_EVERY_MS = 2_000;
/** Readings of the tables for one run of the checks of what seldom changes, which ask the provider too. */
const CHECKS_EVERY = 15;

export async function run(...[services, options]: GivenTo<typeof command>): Promise<number> {
  const { watch, json, metrics: addresses } = options;
  const { success, data: metrics } = list(httpUrl()).default([]).safeParse(addresses);
  if (!success) throw new UsageError('--metrics takes http addresses, separated by commas');
  return untilStopped(async (signal) => {
    const system = new ExaminedSystem(services, metrics, signal);
    await system.examine();
    if (signal.aborted) return 0;
    if (watch && !json && process.stdout.isTTY) {
      await drawWhile(Promise.race([system.watch(), once(signal, 'abort')]), () => system.screen());
      return 0;
    }
    const { findings, tables } = system;
    printLine(json ? JSON.stringify({ findings, tables }, null, 2) : system.report().join('\n'));
    return findings.some(({ status }) => status === 'failed') ? 1 : 0;
  });
}

/** A system with what was found of it. */
class ExaminedSystem {
  /** Null when no broker answers. */
  tables: SystemTables | null = null;
  readonly #services: readonly string[];
  readonly #metrics: readonly string[];
  readonly #signal: AbortSignal;
  #reader: SystemReader | null = null;
  #checked: readonly CheckResult[] = [];
  #ofTables: readonly CheckResult[] = [];

  constructor(services: readonly string[], metrics: readonly string[], signal: AbortSignal) {
    this.#services = services;
    this.#metrics = metrics;
    this.#signal = signal;
  }

  get findings(): CheckResult[] {
    return [...this.#checked, ...this.#ofTables];
  }

  /** Runs all checks, and reads the tables beside them. */
  async examine(): Promise<void> {
    this.#checked = await runChecks(process.env, this.#services, () => this.#read());
  }

  /** Repeats both until the signal. Keeps the last tables with their age while the broker does not answer. */
  async watch(): Promise<void> {
    for (let turn = 1; ; turn += 1) {
      await machineClock.sleep(TABLES_EVERY_MS, this.#signal);
      if (this.#signal.aborted) return;
      await (turn % CHECKS_EVERY === 0 ? this.examine() : this.#read()).catch((error: unknown) => {
        if (!(error instanceof TopicAdminError)) throw error;
      });
    }
  }

  report(): string[] {
    const { tables } = this;
    const shown = tables === null ? [] : ['', ...systemLines(tables, terminalColumns())];
    return [...findingLines(this.findings), ...shown];
  }

  /** Returns the lines of a terminal: feed health is current at each drawing, even while the broker does not answer. */
  screen(): string[] {
    const lines = findingLines(this.findings, { isShort: true });
    const [tables, reader] = [this.tables, this.#reader];
    if (tables === null || reader === null) return lines;
    const width = process.stdout.columns - 1;
    return [...lines, '', ...systemLines({ ...tables, sources: reader.sources }, width, Date.now())];
  }

  async #read(): Promise<void> {
    this.#reader ??= new SystemReader(findCluster(process.env), this.#metrics);
    const { tables, findings } = await this.#reader.read(this.#signal);
    this.tables = tables;
    this.#ofTables = findings;
  }
}

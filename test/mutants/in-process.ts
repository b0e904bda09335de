/**
 * Runs the tests for Stryker in one process: it loads them once, and Stryker activates one mutant after the other. A
 * Vitest worker loads them again for each mutant, which takes ten times as long as the tests.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { MutantCoverage } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { endRun, type LoadedTest, loadTests, replaceLibraries } from './load-tests.ts';

/** State that the mutated code shares with its runner. */
type Switchboard = {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: MutantCoverage;
};

/**
 * A test is endless when it reaches a mutant this often, and twice as often as all tests do without the mutant. A
 * hundred times as often is endless too: Stryker's own limit.
 */
const ENDLESS = 2_000_000;

const FOLDER = process.env.MUTANTS_OF ?? '';

/**
 * File with the duration of each test without a mutant, milliseconds, for processes that Stryker starts after
 * the first run.
 */
const TIMES = resolve(`.touchline/mutants/${FOLDER.replaceAll('/', '-')}-times.json`);

class InProcessRunner implements TestRunner {
  readonly #switchboard: Switchboard;
  #tests: LoadedTest[] = [];
  #times: Readonly<Record<string, number>> = {};

  constructor() {
    const shared = globalThis as { __stryker__?: Switchboard };
    shared.__stryker__ ??= {};
    this.#switchboard = shared.__stryker__;
  }

  /**
   * Mutants that act while a module loads are left out (`ignoreStatic`), so a mutant of code that also runs then is
   * activated like any other. Without this capability Stryker starts a new process for each of them.
   */
  capabilities() {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    replaceLibraries();
    this.#tests = await loadTests(FOLDER);
    if (existsSync(TIMES)) this.#times = JSON.parse(readFileSync(TIMES, 'utf8'));
  }

  async dryRun(): Promise<DryRunResult> {
    const tests = await this.#run(this.#tests, true);
    this.#times = Object.fromEntries(tests.map(({ id, timeSpentMs }) => [id, timeSpentMs]));
    writeFileSync(TIMES, JSON.stringify(this.#times));
    const { mutantCoverage = { static: {}, perTest: {} } } = this.#switchboard;
    return { status: DryRunStatus.Complete, tests, mutantCoverage };
  }

  async mutantRun({
    activeMutant,
    testFilter,
    hitLimit = ENDLESS,
  }: MutantRunOptions): Promise<MutantRunResult> {
    const asked = new Set(testFilter);
    const tests = this.#tests.filter(({ id }) => testFilter === undefined || asked.has(id));
    // The first failure ends a run.
    tests.sort((a, b) => this.#timeOf(a) - this.#timeOf(b));
    const endless = Math.min(hitLimit, Math.max(ENDLESS, hitLimit / 50));
    Object.assign(this.#switchboard, { activeMutant: activeMutant.id, hitLimit: endless });
    try {
      const results = await this.#run(tests, false);
      const reached = determineHitLimitReached(this.#switchboard.hitCount, endless);
      return toMutantRunResult(reached ?? { status: DryRunStatus.Complete, tests: results });
    } finally {
      Object.assign(this.#switchboard, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
    }
  }

  #timeOf({ id }: LoadedTest): number {
    return this.#times[id] ?? 0;
  }

  /** Runs all tests, or up to the first failure. */
  async #run(tests: readonly LoadedTest[], all: boolean): Promise<TestResult[]> {
    const results: TestResult[] = [];
    for (const test of tests) {
      const { id, name, fileName, run } = test;
      const began = performance.now();
      // A test covers what its `beforeAll` reaches.
      if (all) await endRun();
      if (all) this.#switchboard.currentTestId = id;
      else this.#switchboard.hitCount = 0;
      let failure: string | undefined;
      try {
        await (all ? run() : before(deadline(this.#timeOf(test)), run()));
      } catch (error) {
        failure = error instanceof Error ? error.message : String(error);
      }
      this.#switchboard.currentTestId = undefined;
      const shared = { id, name, fileName, timeSpentMs: performance.now() - began };
      results.push(
        failure === undefined
          ? { ...shared, status: TestStatus.Success }
          : { ...shared, status: TestStatus.Failed, failureMessage: failure },
      );
      if (!all && failure !== undefined) break;
    }
    await endRun();
    return results;
  }
}

/** Returns the timeout of a test with a mutant, milliseconds: it detects mutants that wait for ever. */
function deadline(usual: number): number {
  return 5_000 + 5 * usual;
}

async function before(ms: number, run: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([run, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'in-process', InProcessRunner)];

import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SourceChange } from './substitutes.ts';
import type { SeedFailure, SeedsRun, SeedsToRun, WorkerOptions } from './worker.ts';

type SeedsOptions = {
  readonly from: number;
  readonly count: number;
  /** Number of threads. */
  readonly workers: number;
  /** Changes of the code under test. Default: none. */
  readonly changes?: readonly SourceChange[];
  /** Whether every seed drops markers (KAFKA-20734), instead of a tenth of them. Default: false. */
  readonly dropsMarkers?: boolean;
  /** Number of failing seeds after which the run ends. */
  readonly maxFailures: number;
  /** Time after which no further seeds begin, milliseconds. Default: no limit. */
  readonly withinMs?: number;
  readonly onProgress?: (total: Totals) => void;
};

export type Totals = {
  seeds: number;
  steps: number;
  /** Virtual time, milliseconds. */
  ms: number;
  /** CPU time of all threads, milliseconds. */
  cpuMs: number;
  /** Failing seeds, in the order in which they were found. */
  failures: readonly SeedFailure[];
  /** The first seed that has not run; all earlier ones have. */
  next: number;
};

const CHUNK = 50;

/** Runs seeds on several threads, in order. */
export async function runSeeds(options: SeedsOptions): Promise<Totals> {
  const {
    from,
    count,
    workers,
    changes = [],
    dropsMarkers = false,
    maxFailures,
    withinMs = Number.POSITIVE_INFINITY,
    onProgress = () => {},
  } = options;
  const until = performance.now() + withinMs;
  const totals: Totals = { seeds: 0, steps: 0, ms: 0, cpuMs: 0, failures: [], next: from };
  /** First seeds of the chunks that run. */
  const running = new Set<number>();
  let next = from;
  const work = async (): Promise<void> => {
    const thread = new SimulationThread({ changes, dropsMarkers });
    try {
      while (next < from + count && totals.failures.length < maxFailures && performance.now() < until) {
        const chunk = { from: next, count: Math.min(CHUNK, from + count - next), records: false };
        next += chunk.count;
        running.add(chunk.from);
        const done = await thread.run(chunk);
        totals.seeds += done.count;
        totals.steps += done.steps;
        totals.ms += done.ms;
        totals.cpuMs += done.cpuMs;
        totals.failures = [...totals.failures, ...done.failures];
        running.delete(chunk.from);
        totals.next = Math.min(next, ...running);
        onProgress(totals);
      }
    } finally {
      await thread.close();
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  totals.failures = totals.failures.toSorted((a, b) => a.seed - b.seed);
  return totals;
}

/** Runs one seed. Returns its history, with a line for each event, and the broken invariant; null when all held. */
export async function historyOf(
  seed: number,
  dropsMarkers = false,
): Promise<{ readonly lines: readonly string[]; readonly violation: string | null }> {
  const thread = new SimulationThread({ changes: [], dropsMarkers });
  try {
    const { history, failures } = await thread.run({ from: seed, count: 1, records: true });
    return { lines: history ?? [], violation: failures[0]?.violation ?? null };
  } finally {
    await thread.close();
  }
}

/** A thread with the code under test in the simulation. */
export class SimulationThread {
  readonly #worker: Worker;

  constructor(options: WorkerOptions) {
    const url = new URL('./worker.ts', import.meta.url);
    // Starts without the caller's Node options, as a test runner has its own hooks.
    this.#worker = new Worker(url, { workerData: options, execArgv: [] });
  }

  run(seeds: SeedsToRun): Promise<SeedsRun> {
    return new Promise((resolve, reject) => {
      const onMessage = (done: SeedsRun): void => {
        this.#worker.off('error', reject);
        resolve(done);
      };
      this.#worker.once('message', onMessage);
      this.#worker.once('error', reject);
      this.#worker.postMessage(seeds);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Writes the history of a seed as a text, and returns its path. */
export function writeHistory(seed: number, lines: readonly string[]): string {
  const folder = join(tmpdir(), 'touchline-simulation');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `seed-${seed}.txt`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

import { Worker } from 'node:worker_threads';
import type { SourceChange } from './substitutes.ts';
import type { SeedFailure, SeedsRun, SeedsToRun, WorkerOptions } from './worker.ts';

export type SeedsOptions = {
  readonly from: number;
  readonly count: number;
  /** Threads. */
  readonly workers: number;
  /** Mutations of the code under test. Default: none. */
  readonly changes?: readonly SourceChange[];
  /** Whether every seed drops markers (KAFKA-20734), not a tenth of them. Default: no. */
  readonly dropsMarkers?: boolean;
  /** Stops after this many failing seeds. */
  readonly most: number;
  /** Begins no further seeds after this time, milliseconds. Default: none. */
  readonly withinMs?: number;
  readonly onProgress?: (total: Totals) => void;
};

export type Totals = {
  seeds: number;
  steps: number;
  /** Virtual time, milliseconds. */
  ms: number;
  /** Processor time of all threads, milliseconds. */
  cpuMs: number;
  /** In the order in which they were found. */
  failures: readonly SeedFailure[];
  /** Every seed before this one has run. */
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
    most,
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
      while (next < from + count && totals.failures.length < most && performance.now() < until) {
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

/** The history of one seed, a line for each thing that happened, and the broken invariant. */
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

/** A thread with the code under test, and the simulation around it. */
export class SimulationThread {
  readonly #worker: Worker;

  constructor(options: WorkerOptions) {
    const url = new URL('./worker.ts', import.meta.url);
    // Without what the caller's Node was started with: a test runner has hooks of its own.
    this.#worker = new Worker(url, { workerData: options, execArgv: [] });
  }

  run(asked: SeedsToRun): Promise<SeedsRun> {
    return new Promise((resolve, reject) => {
      const onMessage = (answer: SeedsRun): void => {
        this.#worker.off('error', reject);
        resolve(answer);
      };
      this.#worker.once('message', onMessage);
      this.#worker.once('error', reject);
      this.#worker.postMessage(asked);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

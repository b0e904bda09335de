/** A thread that runs seeds: it loads the code of libs with the simulation around it. */
import { parentPort, workerData } from 'node:worker_threads';
import { type SourceChange, substitute } from './substitutes.ts';

/** What a thread is started with. */
export type WorkerOptions = {
  readonly changes: readonly SourceChange[];
  /** In every seed, not in a tenth of them (KAFKA-20734). */
  readonly dropsMarkers: boolean;
};

/** What it is asked. */
export type SeedsToRun = { readonly from: number; readonly count: number; readonly records: boolean };

/** What it answers. */
export type SeedsRun = {
  readonly from: number;
  readonly count: number;
  readonly steps: number;
  /** Virtual time, milliseconds. */
  readonly ms: number;
  /** Of the thread's processor, milliseconds. */
  readonly cpuMs: number;
  readonly failures: readonly SeedFailure[];
  /** Of the last seed, where it was asked for. */
  readonly history: readonly string[] | null;
};

export type SeedFailure = { readonly seed: number; readonly violation: string };

const { changes, dropsMarkers } = workerData as WorkerOptions;
const port = parentPort;
if (port === null) throw new Error('this is a worker thread');
/** Errors are the answers of a simulated broker, mostly: their stacks cost more than all the rest. */
const STACK_LINES = Error.stackTraceLimit;
Error.stackTraceLimit = 0;
let unhandled: string | null = null;
process.on('unhandledRejection', (error) => {
  unhandled ??= `nobody handles ${error instanceof Error ? (error.stack ?? error) : error}`;
});
substitute(changes);
const { runSeed } = await import('./run-seed.ts');

port.on('message', (asked: SeedsToRun) => void run(asked).then((answer) => port.postMessage(answer)));

async function run({ from, count, records }: SeedsToRun): Promise<SeedsRun> {
  const before = process.threadCpuUsage();
  const failures: SeedFailure[] = [];
  let history: readonly string[] | null = null;
  let [steps, ms] = [0, 0];
  Error.stackTraceLimit = records ? STACK_LINES : 0;
  for (let seed = from; seed < from + count; seed += 1) {
    unhandled = null;
    const one = await runSeed(seed, { records, dropsMarkers });
    // Rejections are reported after the microtasks.
    await new Promise(setImmediate);
    steps += one.steps;
    ms += one.ms;
    history = one.history;
    const violation = one.violation ?? unhandled;
    if (violation !== null) failures.push({ seed, violation });
  }
  const cpu = process.threadCpuUsage(before);
  return { from, count, steps, ms, cpuMs: (cpu.user + cpu.system) / 1_000, failures, history };
}

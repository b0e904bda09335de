/** A thread that runs seeds with the code of libs in the simulation. */
import { parentPort, workerData } from 'node:worker_threads';
import { type SourceChange, substitute } from './substitutes.ts';

/** The options of a thread. */
export type WorkerOptions = {
  readonly changes: readonly SourceChange[];
  /** Whether brokers drop markers (KAFKA-20734) in every seed, instead of a tenth of them. */
  readonly dropsMarkers: boolean;
};

/** A request to a thread. `records`: whether to return the history of the last seed. */
export type SeedsToRun = { readonly from: number; readonly count: number; readonly records: boolean };

/** The response of a thread. */
export type SeedsRun = {
  readonly from: number;
  readonly count: number;
  readonly steps: number;
  /** Virtual time, milliseconds. */
  readonly ms: number;
  /** CPU time of the thread, milliseconds. */
  readonly cpuMs: number;
  readonly failures: readonly SeedFailure[];
  /** History of the last seed; null unless requested. */
  readonly history: readonly string[] | null;
};

export type SeedFailure = { readonly seed: number; readonly violation: string };

const { changes, dropsMarkers } = workerData as WorkerOptions;
const port = parentPort;
if (port === null) throw new Error('this is a worker thread');
/** Most errors are responses of a simulated broker. Their stacks would cost more time than everything else. */
const STACK_LINES = Error.stackTraceLimit;
Error.stackTraceLimit = 0;
let unhandled: string | null = null;
process.on('unhandledRejection', (error) => {
  unhandled ??= `nobody handles ${error instanceof Error ? (error.stack ?? error) : error}`;
});
substitute(changes);
const { runSeed } = await import('./run-seed.ts');

port.on('message', (request: SeedsToRun) => void run(request).then((done) => port.postMessage(done)));

async function run({ from, count, records }: SeedsToRun): Promise<SeedsRun> {
  const before = process.threadCpuUsage();
  const failures: SeedFailure[] = [];
  let history: readonly string[] | null = null;
  let [steps, ms] = [0, 0];
  Error.stackTraceLimit = records ? STACK_LINES : 0;
  for (let seed = from; seed < from + count; seed += 1) {
    unhandled = null;
    const one = await runSeed(seed, { records, dropsMarkers });
    // Node reports unhandled rejections after the microtasks.
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

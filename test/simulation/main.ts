/** `npm run test:simulation -- --seeds 1000000`: see docs/guides/simulate.md. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { DEFECTS } from './harness/defects.ts';
import { historyOf, runSeeds, type Totals, writeHistory } from './harness/run-seeds.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10000' },
    from: { type: 'string' },
    seed: { type: 'string' },
    defects: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    'drop-markers': { type: 'boolean', default: false },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});
const dropsMarkers = values['drop-markers'];
/** Number of failing seeds after which a run ends, and maximum number of histories written. */
const MAX_FAILURES = 10;
const PROGRESS_MS = 5_000;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function runOne(seed: number): Promise<void> {
  const { lines, violation } = await historyOf(seed, dropsMarkers);
  print(`seed ${seed}: ${violation ?? 'every invariant held'}\n  ${writeHistory(seed, lines)}`);
  if (violation !== null) process.exitCode = 1;
}

async function runMany(): Promise<void> {
  const from = Number(values.from ?? process.env.SEED ?? Date.now() % 1_000_000_000);
  const count = Number(values.seeds);
  const workers = Number(values.workers);
  print(`SEED=${from}, ${count} seeds on ${workers} threads`);
  const started = performance.now();
  let shownAt = started;
  let failed = 0;
  const onProgress = (totals: Totals): void => {
    for (const { seed, violation } of totals.failures.slice(failed)) print(`seed ${seed}: ${violation}`);
    failed = totals.failures.length;
    if (performance.now() < shownAt + PROGRESS_MS) return;
    shownAt = performance.now();
    print(`${summary(totals, started)}; continue with --from ${totals.next}`);
  };
  const totals = await runSeeds({
    from,
    count,
    workers,
    maxFailures: MAX_FAILURES,
    dropsMarkers,
    onProgress,
  });
  print(summary(totals, started));
  for (const { seed, violation } of totals.failures.slice(0, MAX_FAILURES)) {
    const { lines } = await historyOf(seed, dropsMarkers);
    print(`seed ${seed}: ${violation}\n  ${writeHistory(seed, lines)}`);
  }
  if (totals.failures.length > 0) process.exitCode = 1;
}

/** Prints which seed finds each former defect again when its fix is removed. */
async function findDefects(): Promise<void> {
  for (const { name, changes } of DEFECTS.filter(({ name }) => name.includes(values.only))) {
    const started = performance.now();
    const options = {
      from: 1,
      count: Number(values.seeds),
      workers: Number(values.workers),
      maxFailures: 1,
      changes,
      dropsMarkers,
    };
    const { seeds, failures } = await runSeeds(options);
    const [found] = failures;
    const seconds = ((performance.now() - started) / 1_000).toFixed(0);
    const result =
      found === undefined
        ? `not in ${seeds} seeds`
        : `seed ${found.seed}, after ${seeds}: ${found.violation}`;
    print(`${name}, ${seconds} s: ${result}`);
    if (found === undefined) process.exitCode = 1;
  }
}

function summary({ seeds, steps, ms, cpuMs, failures }: Totals, started: number): string {
  const seconds = (performance.now() - started) / 1_000;
  const hours = ms / 3_600_000;
  return (
    `${seeds} seeds in ${seconds.toFixed(0)} s: ${(seeds / seconds).toFixed(0)} a second, ` +
    `${(seeds / (cpuMs / 1_000)).toFixed(0)} a second of one core; ${steps} steps, ${hours.toFixed(1)} hours of virtual time; ` +
    `${failures.length} failed`
  );
}

if (values.defects) await findDefects();
else if (values.seed === undefined) await runMany();
else await runOne(Number(values.seed));

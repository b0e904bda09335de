/**
 * The runtime and its client in a simulated world with three processes, a cluster and faults. A seed decides every interleaving
 * (docs/guides/simulate.md). `npm run test:simulation` runs more seeds.
 */
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { historyOf, runSeeds, SimulationThread, writeHistory } from './harness/run-seeds.ts';

/** First seed, the same in every run, so that only the code decides the result. `npm run test:simulation` takes other seeds. */
const FROM = Number(process.env.SEED ?? 1);
const SEEDS = 150;
/** Time limit; a busy machine runs fewer seeds in it. */
const WITHIN_MS = 40_000;
const MIN_SEEDS = 50;

test(`keeps every invariant through faults, for ${SEEDS} seeds`, async () => {
  const { seeds, failures } = await runSeeds({
    from: FROM,
    count: SEEDS,
    workers: Math.min(4, availableParallelism()),
    maxFailures: 1,
    withinMs: WITHIN_MS,
  });
  const [failed] = failures;
  if (failed !== undefined) {
    const { lines } = await historyOf(failed.seed);
    const path = writeHistory(failed.seed, lines);
    throw new Error(`seed ${failed.seed}: ${failed.violation}; its history: ${path}`);
  }
  expect(seeds).toBeGreaterThanOrEqual(MIN_SEEDS);
});

test('has the same history for the same seed after other seeds in its thread', async () => {
  const thread = new SimulationThread({ changes: [], dropsMarkers: false });
  try {
    await thread.run({ from: FROM + 1, count: 5, records: false });
    const { history } = await thread.run({ from: FROM, count: 1, records: true });
    const { lines } = await historyOf(FROM);
    expect(lines.length).toBeGreaterThan(20);
    expect(history).toEqual(lines);
  } finally {
    await thread.close();
  }
});

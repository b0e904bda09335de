import { defineConfig } from 'vitest/config';

/** Of every random test: the same run again is `SEED=<this> npm test`. */
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_000);
process.stderr.write(`SEED=${seed}\n`);

const VECTORS = '**/vectors*.test.ts';
const NEVER = ['**/node_modules/**', '**/.touchline/**'];

/** What needs a broker and a registry shares one pair of them for the whole run. */
const withBackbone = {
  globalSetup: ['test/setup/global.ts'],
  provide: { seed },
  setupFiles: ['test/setup/seed.ts', 'test/setup/tidy.ts'],
  // A machine that is busy takes its time; what hangs is found by the deadline of each wait.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  // More than the cores there are at least: much of these tests is waiting.
  maxWorkers: 3,
};

export default defineConfig({
  test: {
    // Modules are loaded once a worker, not once a file: that is half of the time of all unit tests.
    isolate: false,
    // A test that waits longer than this for one thing waits for ever.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 60_000,
    projects: [
      {
        test: {
          name: 'unit',
          provide: { seed },
          setupFiles: ['test/setup/seed.ts'],
          include: [
            'data/**/*.test.ts',
            'libs/**/*.test.ts',
            'services/**/*.test.ts',
            'cli/**/*.test.ts',
            'bench/**/*.test.ts',
          ],
          exclude: [...NEVER, VECTORS],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: [...NEVER, VECTORS],
          sequence: { groupOrder: 2 },
          ...withBackbone,
        },
      },
      {
        test: {
          name: 'vectors',
          include: [VECTORS],
          exclude: NEVER,
          sequence: { groupOrder: 3 },
          ...withBackbone,
        },
      },
    ],
  },
});

import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/setup/longest-first.ts';

/** Of every random test: the same run again is `SEED=<this> npm test`. */
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_000);
process.stderr.write(`SEED=${seed}\n`);

const NEVER = ['**/node_modules/**', '**/.touchline/**'];
/** What a release is tried with besides. */
const RELEASE = '**/*.release.test.ts';
/** What needs no backbone, or is no part of a change. */
const NO_BACKBONE = [...NEVER, RELEASE, 'test/simulation/**', 'test/image/**'];

/** Two for each core of a contributor's container, since tests wait; with three, deadlines pass. All projects share the workers. */
const maxWorkers = 4;

/** A busy machine takes its time for what usually needs milliseconds; Vitest gives up after one second. */
const patient = { poll: { timeout: 30_000 } };

/** What needs a broker and a registry shares one pair of them for the whole run. */
const withBackbone = {
  globalSetup: ['test/setup/global.ts'],
  provide: { seed },
  setupFiles: ['test/setup/seed.ts', 'test/setup/tidy.ts'],
  // A machine that is busy takes its time; what hangs is found by the deadline of each wait.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  maxWorkers,
  expect: patient,
};

export default defineConfig({
  test: {
    reporters: ['default', './scripts/left-out.ts', './scripts/official-count.ts'],
    // Modules are loaded once a worker, not once a file: that is half of the time of all unit tests.
    isolate: false,
    // Node loads them itself, as it does in a service; no test replaces a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A test that waits longer than this for one thing waits for ever.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          provide: { seed },
          setupFiles: ['test/setup/seed.ts', 'test/setup/shared.ts'],
          include: [
            'data/**/*.test.ts',
            'libs/**/*.test.ts',
            'services/**/*.test.ts',
            'cli/**/*.test.ts',
            'bench/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          exclude: NEVER,
          maxWorkers,
          expect: patient,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: [...NO_BACKBONE, 'test/system/**'],
          ...withBackbone,
        },
      },
      {
        test: {
          // Integration and system tests, which share workers here, with their modules, browsers and brokers.
          name: 'backbone',
          include: ['test/**/*.test.ts'],
          exclude: NO_BACKBONE,
          ...withBackbone,
        },
      },
      {
        test: {
          name: 'release',
          include: [RELEASE],
          exclude: NEVER,
          ...withBackbone,
        },
      },
      {
        test: {
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          // A machine that is busy takes its time.
          testTimeout: 600_000,
          maxWorkers,
          expect: patient,
        },
      },
      {
        test: {
          name: 'image',
          include: ['test/image/**/*.test.ts'],
          ...withBackbone,
        },
      },
    ],
  },
});

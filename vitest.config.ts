import { defineConfig } from 'vitest/config';

const VECTORS = '**/vectors*.test.ts';
const NEVER = ['**/node_modules/**', '**/.touchline/**'];

/** What needs a broker and a registry shares one pair of them for the whole run. */
const withBackbone = {
  globalSetup: ['test/setup/global.ts'],
  testTimeout: 180_000,
  hookTimeout: 180_000,
  maxWorkers: 2,
};

export default defineConfig({
  test: {
    // A test that waits longer than this for one thing waits for ever.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 30_000,
    projects: [
      {
        test: {
          name: 'unit',
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

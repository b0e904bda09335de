/** The tests that must notice a change of a folder: its own, of what is rendered those of all views, and of the contract that of its page. */
import { defineConfig } from 'vitest/config';

const folder = process.env.MUTANTS_OF ?? '';
const tested = folder === 'libs/views/render' ? 'libs/views' : folder;

export default defineConfig({
  test: {
    provide: { seed: 1 },
    setupFiles: ['test/setup/seed.ts'],
    include: [
      `${tested}/**/*.test.ts`,
      ...(folder === 'libs/contract' ? ['services/api/docs/reference.test.ts'] : []),
    ],
    // The feed of a day and the ten thousand changes take seconds for every mutant that they reach, and say little of what is rendered.
    exclude: [
      '**/node_modules/**',
      '**/vectors*.test.ts',
      'libs/views/store/feed.test.ts',
      'libs/views/render/answers/incremental.test.ts',
    ],
    isolate: false,
    testTimeout: 60_000,
    maxWorkers: 1,
  },
});

/** The tests that must notice a change of a folder: its own, and of what is rendered those of all views. */
import { defineConfig } from 'vitest/config';

const folder = process.env.MUTANTS_OF ?? '';
const tested = folder === 'libs/views/render' ? 'libs/views' : folder;

export default defineConfig({
  test: {
    provide: { seed: 1 },
    setupFiles: ['test/setup/seed.ts'],
    include: [`${tested}/**/*.test.ts`],
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

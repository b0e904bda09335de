import { globSync } from 'node:fs';

/** The folders whose mutants are tested; a file where the rest of its folder needs more than rules. */
export const FOLDERS = [
  'libs/signing',
  'libs/webhooks',
  'libs/processors/match/webhook-messages.ts',
  'libs/json',
  'libs/contract',
  'libs/views/render',
  'libs/domain',
];

/** Returns the tests that must detect mutants of a folder or file: its own, and those of other folders that cover it. */
export function testsOf(folder: string): string[] {
  const own = folder.endsWith('.ts') ? folder.replace(/\.ts$/, '{,.*}.test.ts') : `${folder}/**/*.test.ts`;
  const others = OF_OTHERS[folder] ?? [];
  return globSync([own, ...others], { exclude: [...LEFT_OUT] }).sort();
}

const OF_OTHERS: Readonly<Record<string, readonly string[]>> = {
  'libs/contract': ['services/api/docs/examples.test.ts', 'services/api/contract-rows.test.ts'],
  // The stored records show the rendered answers.
  'libs/views/render': ['libs/views/store/views.test.ts', 'services/api/contract-rows.test.ts'],
};

const LEFT_OUT = [
  // It spies on a module of Node, which needs Vitest's loader.
  'libs/signing/constant-time.test.ts',
  // They take seconds for every mutant that they reach, and detect few mutants of rendering.
  '**/vectors*.test.ts',
  'libs/views/render/answers/chain.test.ts',
];

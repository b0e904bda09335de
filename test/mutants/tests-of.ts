import { globSync } from 'node:fs';

/** Tests that must notice a change of a folder: its own, and those of others that are about it. */
export function testsOf(folder: string): string[] {
  const others = OF_OTHERS[folder] ?? [];
  return globSync([`${folder}/**/*.test.ts`, ...others], { exclude: [...LEFT_OUT] }).sort();
}

const OF_OTHERS: Readonly<Record<string, readonly string[]>> = {
  'libs/contract': ['services/api/docs/reference.test.ts'],
  // What is rendered is seen in what is kept.
  'libs/views/render': ['libs/views/store/views.test.ts'],
};

const LEFT_OUT = [
  // Watches a module of Node, which takes Vitest's own loader.
  'libs/signing/constant-time.test.ts',
  // The others take seconds for every change that they reach, and say little of what is rendered.
  '**/vectors*.test.ts',
  'libs/views/render/answers/chain.test.ts',
  'libs/views/render/answers/incremental.test.ts',
  // Needs its thousands of queries, and asks of an answer only that it has the shape of the contract.
  'libs/views/render/answers/any-query.test.ts',
];

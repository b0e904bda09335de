import { onTestFinished, TestRunner } from 'vitest';

const shared: (() => unknown)[] = [];

/**
 * Calls `end` after the test that runs. Where none does, in a `beforeAll`, what was started is for all tests of the
 * file: `endShared` calls it.
 */
export function atEnd(end: () => unknown): void {
  if (TestRunner.getCurrentTest() === undefined) shared.push(end);
  else onTestFinished(async () => void (await end()));
}

/** Ends what a `beforeAll` has started, the last first: after each file (test/setup/tidy.ts). */
export async function endShared(): Promise<void> {
  for (const end of shared.splice(0).reverse()) await end();
}

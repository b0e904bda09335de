import { onTestFinished, TestRunner } from 'vitest';

const shared: (() => unknown)[] = [];

/**
 * Calls `end` after the current test. In a `beforeAll`, without a current test, `endShared` calls it after the file.
 */
export function atEnd(end: () => unknown): void {
  if (TestRunner.getCurrentTest() === undefined) shared.push(end);
  else onTestFinished(async () => void (await end()));
}

/** Calls the pending `end` functions of a `beforeAll`, last first. Called after each file (test/setup/tidy.ts). */
export async function endShared(): Promise<void> {
  for (const end of shared.splice(0).reverse()) await end();
}

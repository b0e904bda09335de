import { AsyncLocalStorage } from 'node:async_hooks';
import { onTestFinished, TestRunner } from 'vitest';

const shared: (() => unknown)[] = [];
const ofFile = new AsyncLocalStorage<true>();

/**
 * Calls `end` after the current test. In a `beforeAll`, without a current test, and in `forFile`, `endShared` calls it
 * after the file.
 */
export function atEnd(end: () => unknown): void {
  if (ofFile.getStore() || TestRunner.getCurrentTest() === undefined) shared.push(end);
  else onTestFinished(async () => void (await end()));
}

/** Starts something in a test that runs until the end of the file, for the tests after it. */
export const forFile = <T>(start: () => T): T => ofFile.run(true, start);

/** Calls the pending `end` functions of a file, last first. Called after each file (test/setup/tidy.ts). */
export async function endShared(): Promise<void> {
  for (const end of shared.splice(0).reverse()) await end();
}

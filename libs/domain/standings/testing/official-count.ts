/** Counts what equals the official outcome: a reporter adds up the counts of all tests (scripts/official-count.ts). */
import { TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    official?: { readonly tables: number; readonly ties: number };
  }
}

/** Records that the running test found official tables, and winners of ties, to be equal. Call it last. */
export function countOfficial(tables: number, ties = 0): void {
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) test.meta.official = { tables, ties };
}

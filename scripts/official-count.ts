/** A reporter that prints, at the end of a run, how many official tables and winners of ties were derived. */
import type { Reporter, TestModule } from 'vitest/node';

type Count = { readonly tables: number; readonly ties: number };

/** Returns the line for some counts; null where no test counted any. `failed`: number of tests of official data that failed. */
function officialLine(counts: readonly Count[], failed: number): string | null {
  if (counts.length === 0 && failed === 0) return null;
  const sum = (of: keyof Count) => counts.reduce((total, one) => total + one[of], 0);
  return `Official: ${sum('tables')} tables and the winners of ${sum('ties')} ties derived, ${failed} tests failed`;
}

export default class OfficialCount implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const counts = tests.flatMap((test) => test.meta().official ?? []);
    const ofOfficial = modules.filter(({ moduleId }) => /\/standings\/(official-|ties)/.test(moduleId));
    const failed = ofOfficial.flatMap(({ children }) => [...children.allTests('failed')]).length;
    const line = officialLine(counts, failed);
    if (line !== null) process.stdout.write(`${line}\n`);
  }
}

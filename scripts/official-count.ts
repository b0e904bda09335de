/** A reporter that prints, at the end of a run, how many official tables and winners of ties were derived. */
import type { Reporter, TestModule } from 'vitest/node';

export default class OfficialCount implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const counts = tests.flatMap((test) => test.meta().official ?? []);
    const ofOfficial = modules.filter(({ moduleId }) => /\/standings\/(official-|ties)/.test(moduleId));
    const failed = ofOfficial.flatMap(({ children }) => [...children.allTests('failed')]).length;
    if (counts.length === 0 && failed === 0) return;
    const sum = (of: 'tables' | 'ties') => counts.reduce((total, one) => total + one[of], 0);
    const derived = `${sum('tables')} tables and the winners of ${sum('ties')} ties derived`;
    process.stdout.write(`Official: ${derived}, ${failed} tests failed\n`);
  }
}

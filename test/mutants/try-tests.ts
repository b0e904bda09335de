/** Runs the tests of the given folders once on the stand-ins, without a mutant. Prints the failed ones; exit code 1. */
import { endRun, loadTests, replaceLibraries } from './load-tests.ts';

replaceLibraries();
let failed = 0;
for (const folder of process.argv.slice(2)) {
  const tests = await loadTests(folder);
  for (const { id, run } of tests) {
    try {
      await run();
    } catch (error) {
      failed += 1;
      process.stdout.write(`${id}: ${error}\n`);
    }
  }
  await endRun();
  process.stdout.write(`${folder}: ${tests.length} tests\n`);
}
process.exit(failed === 0 ? 0 : 1);

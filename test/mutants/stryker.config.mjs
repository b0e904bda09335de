import { fileURLToPath } from 'node:url';

/** Of `npm run test:mutants`, which names the folder. */
const folder = process.env.MUTANTS_OF ?? '';

export default {
  testRunner: 'in-process',
  plugins: [fileURLToPath(new URL('./in-process.ts', import.meta.url))],
  mutate: [`${folder}/**/*.ts`, '!**/*.test.ts', '!**/testing/**'],
  coverageAnalysis: 'perTest',
  // One after the other: the tests of other work need the machine too.
  concurrency: 1,
  // What a change leaves behind in the process does not pile up.
  maxTestRunnerReuse: 300,
  // What ends late on a busy machine is not noticed by that; endless changes are found by how often they are reached.
  timeoutMS: 60_000,
  // A change of a constant of a module is seen by every test of the folder: tables of facts have thousands.
  ignoreStatic: true,
  thresholds: { high: 95, low: 85, break: 85 },
  // A run that is stopped, or repeated after a change, tests again only what the change may concern.
  incremental: true,
  incrementalFile: `.touchline/mutants/${folder.replaceAll('/', '-')}-incremental.json`,
  reporters: ['clear-text', 'json', 'progress-append-only'],
  jsonReporter: { fileName: `.touchline/mutants/${folder.replaceAll('/', '-')}.json` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  tempDirName: '.touchline/mutants/sandbox',
  // Stryker rewrites it with the API of TypeScript 6; Node strips types without it.
  tsconfigFile: 'none.json',
  disableTypeChecks: false,
};

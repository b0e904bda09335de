import { fileURLToPath } from 'node:url';

/** The folder or file, set by `npm run test:mutants`. */
const folder = process.env.MUTANTS_OF ?? '';

export default {
  testRunner: 'in-process',
  plugins: [fileURLToPath(new URL('./in-process.ts', import.meta.url))],
  mutate: [folder.endsWith('.ts') ? folder : `${folder}/**/*.ts`, '!**/*.test.ts', '!**/testing/**'],
  coverageAnalysis: 'perTest',
  // One worker: other work needs the machine too.
  concurrency: 1,
  // A new process after this number of mutants, so that their side effects do not accumulate.
  maxTestRunnerReuse: 300,
  // Long, so that a busy machine does not count as a detection; endless mutants are found by their number of hits.
  timeoutMS: 60_000,
  // Every test of the folder would run for each constant of a module, and tables of facts have thousands.
  ignoreStatic: true,
  thresholds: { high: 95, low: 85, break: 85 },
  // A repeated run tests only mutants that a change may affect.
  incremental: true,
  incrementalFile: `.touchline/mutants/${folder.replaceAll('/', '-')}-incremental.json`,
  reporters: ['clear-text', 'json', 'progress-append-only'],
  jsonReporter: { fileName: `.touchline/mutants/${folder.replaceAll('/', '-')}.json` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  tempDirName: '.touchline/mutants/sandbox',
  // None: Stryker would rewrite it with the API of TypeScript 6, and Node strips types without it.
  tsconfigFile: 'none.json',
  disableTypeChecks: false,
};

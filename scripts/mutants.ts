/**
 * Mutation testing: `npm run test:mutants`, or `npm run test:mutants -- libs/signing libs/domain/goals.ts` for folders
 * or files. Changes the code in one place at a time (constants, comparisons, conditions, dropped fields and
 * statements), runs the tests that reach the place, and fails when they detect less than 85 % of the changes. Writes
 * the results to `.touchline/mutants`, and reads them on the next run: a mutant whose code and tests did not change is
 * not tested again.
 */
import { spawnSync } from 'node:child_process';
import { FOLDERS } from '../test/mutants/tests-of.ts';

/** Fetched when it is wanted: it is a quarter of all files that an install would write. */
const STRYKER = ['--yes', '--package', '@stryker-mutator/core@10.1.1', 'stryker'];
const CONFIG = 'test/mutants/stryker.config.mjs';

const asked = process.argv.slice(2);
const folderOf = (path: string) => FOLDERS.find((folder) => path === folder || path.startsWith(`${folder}/`));
const unknown = asked.filter((path) => folderOf(path) === undefined);
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; known: ${FOLDERS.join(', ')}, and their files`);
  process.exit(2);
}
for (const folder of FOLDERS) {
  const paths = asked.filter((path) => folderOf(path) === folder);
  if (paths.length === 0 && asked.length > 0) continue;
  const files = paths.filter((path) => path !== folder);
  const only = paths.includes(folder) || files.length === 0 ? [] : ['--mutate', files.join(',')];
  const env = { ...process.env, MUTANTS_OF: folder };
  const { status } = spawnSync('npx', [...STRYKER, 'run', CONFIG, ...only], {
    env,
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}

/**
 * Mutation testing: `npm run test:mutants`, or `npm run test:mutants -- libs/signing` for one folder. Changes the code of each
 * folder in one place at a time (constants, comparisons, conditions, dropped fields and statements), runs the tests that reach
 * the place, and fails where less than 85 % of the changes are noticed. Writes what survived to `.touchline/mutants`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const FOLDERS = ['libs/signing', 'libs/webhooks', 'libs/contract', 'libs/views/render', 'libs/domain'];
const STRYKER = fileURLToPath(
  new URL('../node_modules/@stryker-mutator/core/bin/stryker.js', import.meta.url),
);
const CONFIG = 'test/mutants/stryker.config.mjs';

const asked = process.argv.slice(2);
const unknown = asked.filter((folder) => !FOLDERS.includes(folder));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; known: ${FOLDERS.join(', ')}`);
  process.exit(2);
}
for (const folder of asked.length === 0 ? FOLDERS : asked) {
  const env = { ...process.env, MUTANTS_OF: folder };
  const { status } = spawnSync(process.execPath, [STRYKER, 'run', CONFIG], { env, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}

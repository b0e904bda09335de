import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { FOLDERS } from './tests-of.ts';

const run = promisify(execFile);

test('the tests that must detect mutants pass on the stand-ins of Vitest and fast-check', async () => {
  const { stdout } = await run(process.execPath, ['test/mutants/try-tests.ts', ...FOLDERS]);
  for (const folder of FOLDERS) expect(stdout).toMatch(new RegExp(`^${folder}: [1-9]\\d* tests$`, 'm'));
});

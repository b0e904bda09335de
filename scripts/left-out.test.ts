import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
/** Runs Vitest as `npm test` does, with the fixture's tests: first all, then those of one name. */
const RUN = `
  import { startVitest } from 'vitest/node';
  const fixture = { config: false, watch: false, include: ['scripts/left-out.fixture.ts'], reporters: ['./scripts/left-out.ts'] };
  for (const some of [{}, { testNamePattern: 'runs' }]) {
    const vitest = await startVitest('test', [], { ...fixture, ...some });
    await vitest.close();
    process.stdout.write('end of a run\\n');
  }
`;

test('prints the tests that were left out with the remedy, and nothing when tests are selected by name', {
  timeout: 300_000,
}, async () => {
  const args = ['--input-type=module', '--eval', RUN];
  const { stdout } = await run(process.execPath, args, { cwd: new URL('..', import.meta.url) });
  expect(stdout.split('\n')).toEqual([
    'Left out:',
    '  2 of scripts/left-out.fixture.ts: no Chromium: install it',
    '  1 of scripts/left-out.fixture.ts: the source is not here',
    'end of a run',
    'end of a run',
    '',
  ]);
});

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { leftOutLines } from './left-out.ts';

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
    '  2 of the live board in a browser: no Chromium was found; install it (Debian: apt install chromium), or name a browser in CHROMIUM',
    '  1 is compared with its source (scripts/left-out.fixture.ts): the source is not here',
    'end of a run',
    'end of a run',
    '',
  ]);
});

describe('leftOutLines', () => {
  test('returns no line when no test was left out', () => {
    expect(leftOutLines([])).toEqual([]);
  });

  test('counts tests with the same reason together', () => {
    const names = [
      'official tables (../shared/data/tables) > en',
      'published answers (they are in ../shared) > x',
    ];
    const lines = leftOutLines(names.map((name) => ({ name, file: 'a.test.ts' })));
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('2 beside the provider');
  });
});

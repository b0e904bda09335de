import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { leftOutLines } from './left-out.ts';

const run = promisify(execFile);
/** Vitest as `npm test` starts it, but for the tests: all of the fixture, then those of one name. */
const RUN = `
  import { startVitest } from 'vitest/node';
  const fixture = { config: false, watch: false, include: ['scripts/left-out.fixture.ts'], reporters: ['./scripts/left-out.ts'] };
  for (const some of [{}, { testNamePattern: 'runs' }]) {
    const vitest = await startVitest('test', [], { ...fixture, ...some });
    await vitest.close();
    process.stdout.write('end of a run\\n');
  }
`;

test('a run ends with what was left out, why, and how to have it; one of some tests by name says nothing', {
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
  test('says nothing where nothing was left out', () => {
    expect(leftOutLines([])).toEqual([]);
  });

  test('counts tests with one reason together', () => {
    const names = [
      'official tables (../shared/data/tables) > en',
      'published answers (they are in ../shared) > x',
    ];
    const lines = leftOutLines(names.map((name) => ({ name, file: 'a.test.ts' })));
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('2 beside the provider');
  });
});

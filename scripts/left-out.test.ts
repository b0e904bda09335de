import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { leftOutLines } from './left-out.ts';

const run = promisify(execFile);
/** Vitest as `npm test` starts it, but for the tests: those of the fixture. */
const RUN = `
  import { startVitest } from 'vitest/node';
  const vitest = await startVitest('test', [], {
    config: false, watch: false, include: ['scripts/left-out.fixture.ts'], reporters: ['./scripts/left-out.ts'],
    ...(process.argv[1] === undefined ? {} : { testNamePattern: process.argv[1] }),
  });
  await vitest.close();
`;

/** What a run of the fixture prints. */
async function printed(...pattern: string[]): Promise<string> {
  const args = ['--input-type=module', '--eval', RUN, ...pattern];
  const { stdout } = await run(process.execPath, args, { cwd: new URL('..', import.meta.url) });
  return stdout;
}

describe('a run', () => {
  test('ends with what was left out, why, and how to have it', async () => {
    expect(await printed()).toBe(
      [
        'Left out:',
        '  2 of the live board in a browser: no Chromium was found; install it (Debian: apt install chromium), or name a browser in CHROMIUM',
        '  1 is compared with its source (scripts/left-out.fixture.ts): the source is not here',
        '',
      ].join('\n'),
    );
  });

  test('of some tests by name says nothing', async () => {
    expect(await printed('runs')).toBe('');
  });
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

import { expect, test } from 'vitest';
import { counted, type FileReport, failureLines, type Run, reportLines, settled } from './every-test.ts';

const path = (name: string) => `${process.cwd()}/${name}`;

function file(name: string, statuses: readonly string[], message = ''): FileReport {
  const failed = message !== '' || statuses.includes('failed');
  return {
    name: path(name),
    status: failed ? 'failed' : 'passed',
    message,
    assertionResults: statuses.map((status, index) => ({
      status,
      fullName: `test ${index}`,
      failureMessages: status === 'failed' ? ['expected 1 to be 2\nat line 3'] : [],
    })),
  };
}

const FIRST: Run = {
  code: 1,
  files: [
    file('a.test.ts', ['passed', 'passed']),
    file('b.test.ts', ['passed', 'failed']),
    file('c.test.ts', ['skipped'], 'not within 180000 ms: it is ready'),
  ],
};

test('counts a failed test, and a file whose set-up failed', () => {
  expect(counted(FIRST)).toEqual({
    passed: 3,
    failed: 2,
    names: ['b.test.ts > test 1: expected 1 to be 2', 'c.test.ts: not within 180000 ms: it is ready'],
  });
  expect(failureLines(FIRST)).toEqual([
    'b.test.ts',
    '    expected 1 to be 2',
    '    at line 3',
    'c.test.ts',
    '    not within 180000 ms: it is ready',
  ]);
});

test('counts a file as failed when it also fails alone, and not when it passes alone', () => {
  const again: Run = {
    code: 1,
    files: [file('b.test.ts', ['passed', 'passed']), file('c.test.ts', ['failed'])],
  };
  const last = settled(FIRST, again);
  expect(counted(last)).toEqual({ passed: 4, failed: 1, names: ['c.test.ts > test 0: expected 1 to be 2'] });
  const well: Run = { code: 0, files: [again.files[0] as FileReport, file('c.test.ts', ['passed'])] };
  expect(counted(settled(FIRST, well))).toEqual({ passed: 5, failed: 0, names: [] });
});

test('fails a run without a failed file when its exit code is not 0 or it reports no file', () => {
  const code = 1;
  expect(counted({ code, files: [file('a.test.ts', ['passed'])] })).toMatchObject({ passed: 1, failed: 1 });
  expect(counted({ code: 0, files: [] })).toMatchObject({ passed: 0, failed: 1 });
  expect(counted(settled(FIRST, { code, files: [] }))).toMatchObject({ failed: 2 });
});

test('reports the counts in the first line, then one name in each line', () => {
  const names = ['a.test.ts > over\ntwo lines: no', 'b.test.ts: no'];
  expect(reportLines({ passed: 3, failed: 2, names })).toEqual([
    '3 2',
    'a.test.ts > over two lines: no',
    'b.test.ts: no',
  ]);
});

import { expect, test } from 'vitest';
import { type FileReport, type Run, reportLines, settled } from './every-test.ts';

function file(name: string, statuses: readonly string[], message = ''): FileReport {
  const failed = message !== '' || statuses.includes('failed');
  return {
    name: `${process.cwd()}/${name}`,
    status: failed ? 'failed' : 'passed',
    message,
    assertionResults: statuses.map((status, index) => ({
      status,
      fullName: `test ${index}\nof two lines`,
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
const FAILED_SETUP = 'c.test.ts: not within 180000 ms: it is ready';

test('counts a failed test, and a file whose set-up failed, one line for each', () => {
  expect(reportLines(FIRST)).toEqual([
    '3 2',
    'b.test.ts > test 1 of two lines: expected 1 to be 2',
    FAILED_SETUP,
  ]);
});

test('counts a file as failed when it also fails alone, and not when it passes alone', () => {
  const [b, c] = [file('b.test.ts', ['passed', 'passed']), file('c.test.ts', ['failed'])];
  expect(reportLines(settled(FIRST, { code: 1, files: [b, c] }))).toEqual([
    '4 1',
    'c.test.ts > test 0 of two lines: expected 1 to be 2',
  ]);
  expect(reportLines(settled(FIRST, { code: 0, files: [b, file('c.test.ts', ['passed'])] }))).toEqual([
    '5 0',
  ]);
});

test('fails a run without a failed file when its exit code is not 0 or it reports no file', () => {
  expect(reportLines({ code: 1, files: [file('a.test.ts', ['passed'])] })).toEqual(['1 1', 'the run itself']);
  expect(reportLines({ code: 0, files: [] })).toEqual(['0 1', 'the run itself']);
  expect(reportLines(settled(FIRST, { code: 1, files: [] }))[0]).toBe('3 2');
});

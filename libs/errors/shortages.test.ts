import { expect, test } from 'vitest';
import { adviceOf, shortageIn, shortageOf } from './shortages.ts';

const systemError = (code: string) => Object.assign(new Error(code), { code });

test('finds what is used up in an error and in its causes', () => {
  expect(shortageOf(systemError('ENOSPC'))).toBe('ENOSPC');
  expect(shortageOf(new Error('x', { cause: systemError('EMFILE') }))).toBe('EMFILE');
});

test.each([null, new Error('x'), systemError('ENOENT'), systemError('toString'), 'ENOSPC'])(
  'finds nothing in %s',
  (error) => expect(shortageOf(error)).toBeNull(),
);

test.each([
  ['java.io.IOException: No space left on device', 'ENOSPC'],
  ['java.nio.file.FileSystemException: a/b.log: Read-only file system', 'EROFS'],
  ['java.io.IOException: Too many open files', 'EMFILE'],
  ['java.net.SocketException: Too many open files in system', 'ENFILE'],
  ['There is insufficient memory for the Java Runtime Environment to continue.', 'ENOMEM'],
  ['INFO started', null],
])('finds in the log of a program: %s', (text, shortage) => expect(shortageIn(text)).toBe(shortage));

test('says what to do', () => {
  expect(adviceOf('EMFILE')).toContain('ulimit -n');
  expect(adviceOf('ENOSPC')).toContain('free space');
});

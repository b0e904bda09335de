import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { thrownBy } from '../../../test/support/thrown-by.ts';
import { StreamError } from '../errors.ts';
import { isEnvironmentFault } from './batch-committer.ts';

test.each([
  ['a failed system call', thrownBy(() => writeFileSync('/dev/null/no', ''))],
  ['a database that cannot be opened', thrownBy(() => new DatabaseSync('/dev/null/no'))],
  ['no answer of the broker', new StreamError('UNAVAILABLE', 'x')],
  [
    'a full disk, as the cause',
    new Error('x', { cause: Object.assign(new Error('y'), { errno: -28, code: 'ENOSPC' }) }),
  ],
])('%s says nothing of the record', (_, error) => expect(isEnvironmentFault(error)).toBe(true));

test.each([
  ['a property of nothing', thrownBy(() => (null as unknown as { a: string }).a)],
  ['text that is no JSON', thrownBy(() => JSON.parse('{'))],
  ['an invalid argument', thrownBy(() => Buffer.alloc(-1))],
  ['what is no error', 'x'],
])('%s may be of the record', (_, error) => expect(isEnvironmentFault(error)).toBe(false));

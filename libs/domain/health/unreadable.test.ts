import { expect, test } from 'vitest';
import { isUnreadable } from './unreadable.ts';

const counts = (messages_read: number, messages_unreadable: number, unreadable_in_row = 0) => ({
  messages_read,
  messages_unreadable,
  unreadable_in_row,
});

test.each<[string, Parameters<typeof isUnreadable>[0], boolean]>([
  ['no messages', [counts(0, 0)], false],
  ['two unreadable ones, and no other', [counts(0, 2, 2)], false],
  ['three unreadable ones in a row', [counts(1_000, 3, 3)], true],
  ['three in a row, long ago, and nothing since', [counts(0, 0, 3)], true],
  ['a tenth of the minute', [counts(27, 3)], true],
  ['less than a tenth', [counts(28, 3)], false],
  ['two of ten', [counts(8, 2)], false],
  ['a tenth of two processes together', [counts(10, 1, 1), counts(17, 2)], true],
  ['a row of one process, while another reads', [counts(0, 3, 3), counts(1_000, 0)], true],
  [
    'a row of a process that is idle for a minute, while another reads',
    [counts(0, 0, 3), counts(1, 0)],
    false,
  ],
])('judges %s', (_, processes, expected) => {
  expect(isUnreadable(processes)).toBe(expected);
});

import { expect, test } from 'vitest';
import { officialLine } from './official-count.ts';

test('adds up the tables and ties of all tests in one line', () => {
  const counts = [
    { tables: 1, ties: 0 },
    { tables: 8, ties: 0 },
    { tables: 0, ties: 400 },
  ];
  expect(officialLine(counts, 2)).toBe(
    'Official: 9 tables and the winners of 400 ties derived, 2 tests failed',
  );
});

test('prints nothing in a run without official data', () => {
  expect(officialLine([], 0)).toBeNull();
  expect(officialLine([], 1)).toContain('0 tables');
});

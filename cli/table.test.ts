import { describe, expect, test } from 'vitest';
import { cut, tableLines, widthOf } from './table.ts';

const COLUMNS = [
  { head: 'id' },
  { head: 'name', least: 6 },
  { head: 'behind', align: 'right' },
  { head: 'note', least: 4 },
] as const;
const ROWS = [
  ['1', 'Bayern München', '12', 'a long note about it'],
  ['22', 'Ajax', '1000000', ''],
];

describe('tableLines', () => {
  test('aligns columns under their heads and cuts nothing where there is no terminal', () => {
    expect(tableLines(COLUMNS, ROWS, null)).toEqual([
      'id  name             behind  note',
      '1   Bayern München       12  a long note about it',
      '22  Ajax            1000000',
    ]);
  });

  test.each([50, 40, 30, 24, 12, 3])('exceeds no terminal of %i columns', (width) => {
    for (const line of tableLines(COLUMNS, ROWS, width)) expect(widthOf(line)).toBeLessThanOrEqual(width);
  });

  test('cuts the widest column that may be, and never an id', () => {
    expect(tableLines(COLUMNS, ROWS, 34)).toEqual([
      'id  name        behind  note',
      '1   Bayern M…       12  a long no…',
      '22  Ajax       1000000',
    ]);
  });

  test('shows what would move the cursor or turn the order of reading', () => {
    expect(tableLines([{ head: 'x' }], [['a\u001b[2Jb\u202e']], null)[1]).toBe('a\\u001b[2Jb\\u202e');
  });
});

describe('cut', () => {
  test('counts columns, not code units', () => {
    expect(widthOf('東京 é e\u0301')).toBe(8);
    expect(cut('東京FC', 4)).toBe('東…');
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('abc', 0)).toBe('');
  });
});

import { describe, expect, test } from 'vitest';
import { cut, type TextColumn, tableLines, widthOf } from './table.ts';

type Row = { id: string; name: string; behind: number; note: string | null };

const COLUMNS: readonly TextColumn<Row>[] = [
  { head: 'id', of: ({ id }) => id },
  { head: 'name', minWidth: 6, of: ({ name }) => name },
  { head: 'behind', align: 'right', of: ({ behind }) => behind },
  { head: 'note', minWidth: 4, of: ({ note }) => note },
];
const ROWS: readonly Row[] = [
  { id: '1', name: 'Bayern München', behind: 12, note: 'a long note about it' },
  { id: '22', name: 'Ajax', behind: 1_000_000, note: null },
];

describe('tableLines', () => {
  test('aligns columns under their heads, and cuts nothing without a terminal', () => {
    expect(tableLines(COLUMNS, ROWS, null)).toEqual([
      'id  name             behind  note',
      '1   Bayern München       12  a long note about it',
      '22  Ajax            1000000',
    ]);
  });

  test.each([50, 40, 30, 24, 12, 3])('fits a terminal of %i columns', (width) => {
    for (const line of tableLines(COLUMNS, ROWS, width)) expect(widthOf(line)).toBeLessThanOrEqual(width);
  });

  test('cuts the widest column that may be cut, and never an id', () => {
    expect(tableLines(COLUMNS, ROWS, 34)).toEqual([
      'id  name        behind  note',
      '1   Bayern M…       12  a long no…',
      '22  Ajax       1000000',
    ]);
  });

  test('escapes what would move the cursor or change the reading order', () => {
    expect(tableLines([{ head: 'x', of: String }], ['a\u001b[2J\u202e'], null)[1]).toBe('a\\u001b[2J\\u202e');
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

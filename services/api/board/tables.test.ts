import { expect, test } from 'vitest';
import { readTable } from './standings.ts';
import { leagueTable } from './testing/provider-tables.ts';

test('ignores a colour that is not hexadecimal', () => {
  expect(readTable(leagueTable()).groups[0]?.zones.map(({ colour }) => colour)).toEqual(['#002400', null]);
});

test('reads numbers in text; other values become unknown, never 0', () => {
  const participants = [
    { rank: '2', last_rank: '' },
    { rank: null, last_rank: 'x' },
  ];
  const [first, second] = readTable({ groups: [{ id: '', participants }] }).groups[0]?.participants ?? [];
  expect([first?.rank, first?.last_rank, second?.rank, second?.last_rank]).toEqual([2, null, null, null]);
});

test.each([
  ['a record without groups', {}],
  ['groups that are no list', { groups: 'none' }],
  ['rows that are no objects', { groups: [{ participants: [1] }] }],
])('reads %s as no rows', (_, record) => {
  expect(readTable(record).groups.flatMap(({ participants }) => participants)).toEqual([]);
});

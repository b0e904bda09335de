import { expect, test } from 'vitest';
import { columnsOf, currentMatchOf, movementOf, readTable } from './tables.ts';
import { leagueTable } from './testing/provider-tables.ts';
import { SERBIA_BRAZIL } from './testing/scenes.ts';

test('reads the columns of a live table, and the current match of each team', () => {
  const [group] = readTable(leagueTable(SERBIA_BRAZIL.id)).groups;
  if (group === undefined) throw new Error('no group');
  const [first, second] = group.participants;
  expect(columnsOf(group).map(({ code }) => code)).toEqual([
    'mp',
    'won',
    'draw',
    'lost',
    'goals_scored',
    'goals_allowed',
    'goals_diff',
    'pts',
    'form',
  ]);
  expect(first && currentMatchOf(first)).toEqual({ eventId: SERBIA_BRAZIL.id, score: '0–2' });
  expect(second && currentMatchOf(second)).toBeNull();
});

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

test.each([
  [1, 3, 2],
  [3, 1, -2],
  [2, 2, 0],
  [1, null, null],
])('computes the movement of a row: now %j, before %j, moved %j', (rank, last_rank, moved) => {
  const row = { id: 1, name: '', rank, last_rank, zone_name: '', subparticipant_name: '', columns: [] };
  expect(movementOf(row)).toBe(moved);
});

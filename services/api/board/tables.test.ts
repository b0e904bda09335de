import { expect, test } from 'vitest';
import { columnsOf, currentMatchOf, movementOf, readTable } from './tables.ts';
import { leagueTable, SERBIA_BRAZIL } from './testing/scenes.ts';

test('a table of the provider is read, with what the live table says of play', () => {
  const [group] = readTable(leagueTable(true)).groups;
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

test('a colour that is none is left out', () => {
  expect(readTable(leagueTable(false)).groups[0]?.zones.map(({ colour }) => colour)).toEqual([
    '#002400',
    null,
  ]);
});

test('numbers may be text; what is none is unknown, never 0', () => {
  const participants = [
    { rank: '2', last_rank: '' },
    { rank: null, last_rank: 'x' },
  ];
  const [first, second] = readTable({ groups: [{ id: '', participants }] }).groups[0]?.participants ?? [];
  expect([first?.rank, first?.last_rank, second?.rank, second?.last_rank]).toEqual([2, null, null, null]);
});

test.each([
  ['nothing', {}],
  ['groups that are none', { groups: 'none' }],
  ['rows that are none', { groups: [{ participants: [1] }] }],
])('%s is no error', (_, record) => {
  expect(readTable(record).groups.flatMap(({ participants }) => participants)).toEqual([]);
});

test.each([
  [1, 3, 2],
  [3, 1, -2],
  [2, 2, 0],
  [1, null, null],
])('from place %j before %j it moved %j', (rank, last_rank, moved) => {
  const row = { id: 1, name: '', rank, last_rank, zone_name: '', subparticipant_name: '', columns: [] };
  expect(movementOf(row)).toBe(moved);
});

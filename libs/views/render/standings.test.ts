import { expect, it } from 'vitest';
import { ANSWERS } from '#contract/rest/records.ts';
import { ranking } from '../testing/ranking.ts';
import { nameEntry, nameTable, type TablePlace } from './standings.ts';

const NOWHERE: TablePlace = { area: null, season: null, stage: null, object: null, group: () => null };
const KNOWN: TablePlace = {
  ...{ area: 'Europe', season: 'Cup 2017/18', stage: 'Group Stage', object: 'Group Stage' },
  group: (id) => (id === 7 ? 'Group A' : null),
};
const derived = { name: 'League standings', type_name: 'League standings', object_name: '', sport_id: 5 };

it('names a table as the provider names its own', () => {
  expect(nameEntry(derived, KNOWN)).toMatchObject({
    name: 'League standings - Europe, Cup 2017/18, stage: Group Stage',
    ...{ object_name: 'Group Stage', sport_name: 'Soccer' },
  });
  const ofSeason = { ...KNOWN, area: null, stage: null };
  expect(nameEntry(derived, ofSeason).name).toBe('League standings - Cup 2017/18');
  expect(nameEntry(derived, NOWHERE)).toMatchObject({ name: 'League standings', object_name: '' });
});

it('leaves the names that a table has', () => {
  const own = { name: 'FIFA ranking - Men', type_name: 'FIFA ranking', object_name: 'World', sport_id: 1 };
  expect(nameEntry(own, KNOWN)).toEqual(own);
  const groups = [{ id: '7', name: 'Pool 7', participants: [], zones: [], corrections: [] }];
  expect(nameTable({ ...own, groups }, KNOWN).groups).toEqual(groups);
});

it('has the lists that the contract has, where a table of the provider leaves them out', () => {
  const { columns, ...table } = nameTable(ranking(777, 'teams'), NOWHERE);
  expect(columns).toEqual([]);
  const groups = [{ id: '', name: '', participants: [] }];
  expect(nameTable({ ...table, groups }, NOWHERE).groups).toEqual([
    { ...groups[0], zones: [], corrections: [] },
  ]);
  const { error } = ANSWERS.standings.safeParse({ columns, ...table });
  expect(error?.issues ?? []).toEqual([]);
});

it('names groups, and writes ids of the provider as the contract does', () => {
  const participants = [
    { id: 1, subparticipant_id: '', more: 1 },
    { id: 2, subparticipant_id: 5 },
  ];
  const groups = ['7', 8, ''].map((id) => ({ id, name: '', participants }));
  const rows = [{ ...participants[0], subparticipant_id: null }, participants[1]];
  expect(nameTable({ ...derived, groups }, KNOWN).groups).toMatchObject([
    { id: '7', name: 'Group A', participants: rows },
    { id: '8', name: '', participants: rows },
    { id: '', name: '', participants: rows },
  ]);
});

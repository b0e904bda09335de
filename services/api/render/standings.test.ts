import { expect, it } from 'vitest';
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
  const groups = [{ id: '7', name: 'Pool 7', participants: [] }];
  expect(nameTable({ ...own, groups }, KNOWN).groups).toEqual(groups);
});

it('names groups, and writes ids of the provider as the contract does', () => {
  const participants = [
    { id: 1, subparticipant_id: '', more: 1 },
    { id: 2, subparticipant_id: 5 },
  ];
  const groups = ['7', 8, ''].map((id) => ({ id, name: '', participants }));
  const rows = [{ ...participants[0], subparticipant_id: null }, participants[1]];
  expect(nameTable({ ...derived, groups }, KNOWN).groups).toEqual([
    { id: '7', name: 'Group A', participants: rows },
    { id: '8', name: '', participants: rows },
    { id: '', name: '', participants: rows },
  ]);
});

import { expect, test } from 'vitest';
import { ANSWERS } from '#contract/rest/records.ts';
import { ranking } from '../testing/ranking.ts';
import { nameEntry, nameTable, type TableNames } from './answers/standings.ts';

const NOWHERE: TableNames = {
  area: null,
  teamArea: null,
  season: null,
  stage: null,
  object: null,
  group: () => null,
};
const KNOWN: TableNames = {
  area: 'Europe',
  teamArea: { id: 7, name: 'Europe' },
  season: 'Cup 2017/18',
  stage: 'Group Stage',
  object: 'Group Stage',
  group: (id) => (id === 7 ? { name: 'Group A', ut: 1_700_000_000 } : null),
};
const derived = { name: 'League standings', type_name: 'League standings', object_name: '', sport_id: 5 };

test('names a table as the provider does', () => {
  expect(nameEntry(derived, KNOWN)).toMatchObject({
    name: 'League standings - Europe, Cup 2017/18, stage: Group Stage',
    object_name: 'Group Stage',
    sport_name: 'Soccer',
  });
  const ofSeason = { ...KNOWN, area: null, stage: null };
  expect(nameEntry(derived, ofSeason).name).toBe('League standings - Cup 2017/18');
  expect(nameEntry(derived, NOWHERE)).toMatchObject({ name: 'League standings', object_name: '' });
});

test('keeps the names that a table has', () => {
  const own = { name: 'FIFA ranking - Men', type_name: 'FIFA ranking', object_name: 'World', sport_id: 1 };
  expect(nameEntry(own, KNOWN)).toEqual(own);
  const groups = [{ id: '7', name: 'Pool 7', ut: 3, participants: [], zones: [], corrections: [] }];
  expect(nameTable({ ...own, groups }, KNOWN).groups).toEqual(groups);
});

test('adds the lists of the contract that a provider’s table omits', () => {
  const { columns, ...table } = nameTable(ranking(777, 'teams'), NOWHERE);
  expect(columns).toEqual([]);
  const groups = [{ id: '', name: '', participants: [] }];
  expect(nameTable({ ...table, groups }, NOWHERE).groups).toEqual([
    { ...groups[0], ut: 1_527_000_000, zones: [], corrections: [] },
  ]);
  const { error } = ANSWERS.standings.safeParse({ columns, ...table });
  expect(error?.issues ?? []).toEqual([]);
});

test('names groups, and gives unknown row fields the provider’s empty values', () => {
  const area = { area_id: 5, area_name: 'England' };
  const club = { subparticipant_id: 5, subparticipant_name: 'FC D' };
  const participants = [
    { id: 1, name: 'A', rank: 4, last_rank: null, subparticipant_id: null, columns: [], more: 1 },
    { id: 2, name: 'B C', rank: 1, last_rank: 2, columns: [], ...area, ...club },
    { id: 3, name: null, participant_type: 'competition', rank: 1, columns: [{ id: 1, code: 'mp' }] },
  ];
  const groups = ['7', 8, ''].map((id) => ({ id, name: '', participants }));
  const noClub = { subparticipant_id: '', subparticipant_name: '', subparticipant_slug: '' };
  const rows = [
    {
      area_id: 7,
      area_name: 'Europe',
      participant_slug: 'a,1',
      participant_acronym: '',
      last_rank: 4,
      ...noClub,
      more: 1,
    },
    { area_name: 'England', last_rank: 2, participant_slug: 'b-c,2', subparticipant_slug: 'fc-d,5' },
    { name: '', columns: [{ id: 1, code: 'mp', name: 'Matches played' }] },
  ];
  expect(nameTable({ ...derived, groups }, KNOWN).groups).toMatchObject([
    { id: '7', name: 'Group A', participants: rows },
    { id: '8', name: '', participants: rows },
    { id: '', name: '', participants: rows },
  ]);
});

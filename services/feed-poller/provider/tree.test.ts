import { expect, test } from 'vitest';
import { readList, readTree } from './tree.ts';

const competition = (inside: object, group: object = { id: 8, name: 'Group B' }): object => ({
  id: 1,
  name: 'Cup',
  sport_id: '5',
  seasons: [{ id: 2, actual: 'yes', stages: [{ id: 3, name: 'Final', groups: [{ ...group, ...inside }] }] }],
});

test('flattens a tree: entries without nested records, events with the ids of the levels above', () => {
  const events = [{ id: 9, season_id: 77, group_id: '' }, { id: 10 }];
  expect(readTree({ competitions: [competition({ events })] })).toEqual({
    entries: [
      { kind: 'competition', id: '1', parentId: null, body: { id: 1, name: 'Cup', sport_id: '5' } },
      { kind: 'season', id: '2', parentId: '1', body: { id: 2, actual: 'yes' } },
      { kind: 'stage', id: '3', parentId: '2', body: { id: 3, name: 'Final' } },
      { kind: 'group', id: '8', parentId: '3', body: { id: 8, name: 'Group B' } },
    ],
    events: [
      { id: 9, sport_id: '5', competition_id: 1, season_id: 77, stage_id: 3, group_id: 8 },
      { id: 10, sport_id: '5', competition_id: 1, season_id: 2, stage_id: 3, group_id: 8 },
    ],
  });
});

test('flattens a single chain', () => {
  const stage = { id: 3, group: { id: '', name: '', ut: '', event: { id: 9 } } };
  const tree = readTree({ competition: { id: 1, seasons: [], season: { id: 2, stage } } });
  expect(tree.entries.map(({ kind, id }) => `${kind}/${id}`)).toEqual([
    'competition/1',
    'season/2',
    'stage/3',
  ]);
  expect(tree.events).toEqual([{ id: 9, competition_id: 1, season_id: 2, stage_id: 3 }]);
});

test('accepts an empty object as an empty list, and ignores values that are not records', () => {
  expect(readTree({ competitions: [{ id: 1, seasons: {} }, null, 7] }).entries).toHaveLength(1);
  for (const data of [null, [], 'text', {}, { competitions: {} }]) {
    expect(readTree(data)).toEqual({ entries: [], events: [] });
  }
  expect(readList({ sports: [{ id: 1 }, null] }, 'sports')).toEqual([{ id: 1 }]);
  expect(readList({ sports: {} }, 'areas')).toEqual([]);
});

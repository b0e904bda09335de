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
  expect(readTree({ competitions: [competition({ events })] })).toMatchObject({
    entries: [
      { kind: 'competition', id: '1', parent_id: null, name: 'Cup', competition: { sport_id: 5 }, other: {} },
      { kind: 'season', id: '2', parent_id: '1', season: { actual: true }, other: {} },
      { kind: 'stage', id: '3', parent_id: '2', name: 'Final', other: {} },
      { kind: 'group', id: '8', parent_id: '3', name: 'Group B', other: {} },
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
  const ids = tree.entries.map(({ kind, id }) => `${kind}/${id}`);
  expect(ids).toEqual(['competition/1', 'season/2', 'stage/3']);
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

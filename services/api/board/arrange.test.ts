import { describe, expect, test } from 'vitest';
import type { BoardMatch } from '#story/match.ts';
import { liveMatch } from '#story/testing/matches.ts';
import { arrange, competitionsOf, selectMatches } from './arrange.ts';
import type { BoardQuery } from './query.ts';

const NOW = Date.UTC(2026, 7, 16, 14) / 1000;
const FINISHED = { status_id: 11, status_type: 'finished' };
const UPCOMING = { status_id: 1, status_type: 'scheduled' };
const HALTED = { guard: { safe: false, reasons: ['possible_goal'] } };

const matches = [
  liveMatch({ event_id: 1, ...FINISHED, start_date: '2026-08-14 15:00' }),
  liveMatch({ event_id: 2, ...FINISHED, start_date: '2026-08-15 15:00' }),
  liveMatch({ event_id: 3, ...UPCOMING, start_date: '2026-08-17 15:00' }),
  liveMatch({ event_id: 4, ...UPCOMING, start_date: '2026-08-16 15:00' }),
  liveMatch({ event_id: 5 }),
  liveMatch({ event_id: 6, status_id: 2, status_type: 'interrupted' }),
  liveMatch({ event_id: 7, status_id: 3, status_type: 'cancelled', competition_id: 9 }),
];

/** Returns the event ids of each group by the title of its section. */
function shape(all: readonly BoardMatch[]): Record<string, number[][]> {
  return Object.fromEntries(
    arrange(all, NOW).map(({ title, groups }) => [
      title,
      groups.map(({ rows }) => rows.map(({ match }) => match.event_id)),
    ]),
  );
}

describe('the order of the board', () => {
  test('lists halted matches first, live ones, upcoming ones by the earliest start, finished ones by the latest', () => {
    const unfed = { feed: { believed: false, state: 'stale', reason: 'silence', delay: null } } as const;
    const halted = [
      liveMatch({ event_id: 8, ...HALTED }),
      liveMatch({ event_id: 9, ...unfed }),
      liveMatch({ event_id: 10, ...UPCOMING, ...HALTED }),
    ];
    expect(shape([...matches, ...halted])).toEqual({
      Halted: [[8, 9, 10]],
      'In play': [[5, 6]],
      Upcoming: [[4, 3]],
      Finished: [[2, 1]],
      'Not in play': [[7]],
    });
  });

  test('lists a match without a word for six hours as not in play, halted or not', () => {
    const silent = [6 * 3_600_000, 6 * 3_600_000 - 1].map((ms, event_id) =>
      liveMatch({ event_id, received_at: NOW * 1000 - ms }),
    );
    expect(shape([...silent, liveMatch({ event_id: 2, received_at: 0, ...HALTED })])).toEqual({
      'In play': [[1]],
      'Not in play': [[0, 2]],
    });
  });

  test('lists upcoming matches whose kick-off was more than a day ago after the others', () => {
    const upcoming = ['2026-08-15 13:59', '2026-08-15 14:00', null, '2026-08-16 15:00'].map((start_date, n) =>
      liveMatch({ event_id: n, ...UPCOMING, start_date }),
    );
    expect(shape(upcoming)).toEqual({ Upcoming: [[1, 3, 2, 0]] });
  });

  test('heads a group of a feed without names by its id', () => {
    const levels = { competition: null, season: null, stage: null, group: null };
    const none = liveMatch({ event_id: 2, competition_id: null, levels });
    const all = [liveMatch({ competition_id: 900, levels }), none];
    const heads = arrange(all, NOW).flatMap(({ groups }) => groups.map(({ title }) => title));
    expect(heads.toSorted()).toEqual(['Competition 900', 'Other matches']);
  });

  test('keeps a group in place when its first match leaves', () => {
    const groups = [1, 2, 1].map((group_id, n) => liveMatch({ event_id: n, group_id }));
    expect(shape(groups)).toEqual({ 'In play': [[0, 2], [1]] });
    expect(shape(groups.slice(1))).toEqual({ 'In play': [[2], [1]] });
  });

  test('gives a match the same place alone as among others', () => {
    const placesOf = (all: readonly BoardMatch[]) =>
      arrange(all, NOW).flatMap(({ key, groups }) =>
        groups.flatMap((group) => group.rows.map(({ order }) => [key, group.key, order])),
      );
    const together = placesOf(matches);
    expect(matches.flatMap((match) => placesOf([match])).sort()).toEqual(together.toSorted());
    expect(together.map(([, , order]) => order)).toEqual(together.map(([, , order]) => order).toSorted());
  });
});

describe('filters', () => {
  const ALL: BoardQuery = { show: 'all', competition: null, q: '' };
  const found = (all: readonly BoardMatch[], query: Partial<BoardQuery>) =>
    selectMatches(all, { ...ALL, ...query }, NOW).map(({ event_id }) => event_id);

  test.each([
    ['live', [5, 6]],
    ['upcoming', [3, 4]],
    ['finished', [1, 2]],
  ] as const)('show %s', (show, expected) => expect(found(matches, { show })).toEqual(expected));

  test('show a competition', () => expect(found(matches, { competition: 9 })).toEqual([7]));

  test.each([
    ['Bayern München', ['munch', ' MÜNCHEN ', 'bay', 'munchen bayern', 'bayern away']],
    ['Bodø/Glimt', ['bodo', 'bodo glimt', 'Bodø/Glimt', 'BODØ']],
  ])('find %s with and without accents, by any of its words', (name, queries) => {
    const all = [liveMatch({ home: { name, short_name: null, acronym: null } }), liveMatch({ event_id: 9 })];
    for (const q of queries) expect(found(all, { q }), q).toHaveLength(1);
  });

  test('list all competitions by name', () => {
    const levels = { competition: 'Cup', season: null, stage: null, group: null };
    const all = [liveMatch(), liveMatch({ event_id: 9, competition_id: 5, levels })];
    expect(competitionsOf(all)).toEqual([
      [5, 'Cup'],
      [6628, 'League'],
    ]);
  });
});

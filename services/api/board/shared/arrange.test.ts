import { describe, expect, test } from 'vitest';
import type { BoardMatch } from '#story/match.ts';
import { liveMatch } from '#story/testing/matches.ts';
import { arrange, type BoardQuery } from './arrange.ts';

const NOW = Date.UTC(2026, 7, 16, 14) / 1000;
const ALL: BoardQuery = { show: 'all', by: 'status', competition: null, q: '' };
const FINISHED = { status_id: 11, status_type: 'finished' };
const UPCOMING = { status_id: 1, status_type: 'scheduled' };

const matches = [
  liveMatch({ event_id: 1, ...FINISHED, start_date: '2026-08-14 15:00' }),
  liveMatch({ event_id: 2, ...FINISHED, start_date: '2026-08-15 15:00' }),
  liveMatch({ event_id: 3, ...UPCOMING, start_date: '2026-08-17 15:00' }),
  liveMatch({ event_id: 4, ...UPCOMING, start_date: '2026-08-16 15:00' }),
  liveMatch({ event_id: 5 }),
  liveMatch({ event_id: 6, status_id: 2, status_type: 'interrupted' }),
  liveMatch({ event_id: 7, status_id: 3, status_type: 'cancelled', competition_id: 9 }),
];

function shape(
  all: readonly BoardMatch[],
  query: Partial<BoardQuery>,
  favourites: ReadonlySet<number> | null = null,
): Record<string, number[][]> {
  const { sections } = arrange(all, { ...ALL, ...query }, favourites, NOW);
  return Object.fromEntries(
    sections.map(({ title, groups }) => [
      title,
      groups.map((group) => group.matches.map(({ event_id }) => event_id)),
    ]),
  );
}

describe('by status', () => {
  test('lists live matches first, then upcoming ones by the earliest start, then finished ones by the latest', () => {
    expect(shape(matches, {})).toEqual({
      'Live now': [[5, 6]],
      Upcoming: [[4, 3]],
      Finished: [[2, 1]],
      'Not in play': [[7]],
    });
  });

  test('lists a match without a word for six hours as not in play', () => {
    const silent = [6 * 3_600_000, 6 * 3_600_000 - 1].map((ms, event_id) =>
      liveMatch({ event_id, received_at: NOW * 1000 - ms }),
    );
    expect(shape(silent, {})).toEqual({ 'Live now': [[1]], 'Not in play': [[0]] });
  });

  test('lists upcoming matches whose kick-off was more than a day ago after the others', () => {
    const upcoming = ['2026-08-15 13:59', '2026-08-15 14:00', null, '2026-08-16 15:00'].map((start_date, n) =>
      liveMatch({ event_id: n, ...UPCOMING, start_date }),
    );
    expect(shape(upcoming, {})).toEqual({ Upcoming: [[1, 3, 2, 0]] });
  });

  test('heads a group of a feed without names by its id, and counts the halted matches that are shown', () => {
    const levels = { competition: null, season: null, stage: null, group: null };
    const all = [
      liveMatch({ competition_id: 900, levels }),
      liveMatch({
        event_id: 2,
        competition_id: null,
        levels,
        guard: { safe: false, reasons: ['game_break'] },
      }),
      liveMatch({ event_id: 3, ...FINISHED }),
    ];
    const { sections, trading } = arrange(all, { ...ALL, show: 'live' }, null, NOW);
    const heads = sections.flatMap(({ groups }) => groups.map(({ title }) => title));
    expect(heads.toSorted()).toEqual(['Competition 900', 'Other matches']);
    expect(trading).toEqual({ halted: 1, of: 2 });
  });

  test('groups the matches of one stage or group', () => {
    const groups = [1, 2, 1].map((group_id, n) => liveMatch({ event_id: n, group_id }));
    expect(shape(groups, {})).toEqual({ 'Live now': [[0, 2], [1]] });
  });

  test('keeps a group in place when its first match leaves', () => {
    const groups = [1, 2, 1].map((group_id, n) => liveMatch({ event_id: n, group_id }));
    expect(shape(groups.slice(1), {})).toEqual({ 'Live now': [[2], [1]] });
  });
});

test('sorts by competition: those with a live match first, live matches first in each', () => {
  const levels = { competition: 'Cup', season: null, stage: null, group: null };
  const cup = liveMatch({ event_id: 8, ...UPCOMING, competition_id: 5, levels });
  expect(shape([cup, ...matches.slice(0, 6)], { by: 'competition' })).toEqual({
    League: [[5, 6, 4, 3, 2, 1]],
    Cup: [[8]],
  });
});

describe('other orders', () => {
  test('list halted matches first, then safe ones, then the others', () => {
    const all = [
      ...matches,
      liveMatch({ event_id: 8, guard: { safe: false, reasons: ['possible_goal'] } }),
      liveMatch({ event_id: 9, feed: { believed: false, state: 'stale', reason: 'silence', delay: null } }),
    ];
    expect(shape(all, { by: 'halted' })).toEqual({
      Halted: [[8, 9]],
      Safe: [[5, 6]],
      Upcoming: [[4, 3]],
      Finished: [[2, 1]],
      'Not in play': [[7]],
    });
  });

  test('list favourites first, in any phase', () => {
    expect(shape(matches, { by: 'favourites' }, new Set([1, 3, 6]))).toEqual({
      Favourites: [[6, 3, 1]],
      'Live now': [[5]],
      Upcoming: [[4]],
      Finished: [[2]],
      'Not in play': [[7]],
    });
  });

  test('list matches by kick-off, those without one last', () => {
    const unknown = liveMatch({ event_id: 0, start_date: null });
    expect(shape([unknown, ...matches.slice(0, 5)], { by: 'kick-off' })).toEqual({
      '14 Aug 2026': [[1]],
      '15 Aug 2026': [[2, 5]],
      '16 Aug 2026': [[4]],
      '17 Aug 2026': [[3]],
      'No kick-off yet': [[0]],
    });
  });
});

describe('filters', () => {
  test('show only favourites; all matches when the favourites are unknown', () => {
    expect(shape(matches, { show: 'favourites' }, new Set([3]))).toEqual({ Upcoming: [[3]] });
    expect(arrange(matches, { ...ALL, show: 'favourites' }, null, NOW).shown).toBe(matches.length);
  });

  test.each([
    ['live', { 'Live now': [[5, 6]] }],
    ['upcoming', { Upcoming: [[4, 3]] }],
    ['finished', { Finished: [[2, 1]] }],
  ] as const)('show %s', (show, expected) => {
    expect(shape(matches, { show })).toEqual(expected);
  });

  test('count the matches that the other filters select', () => {
    expect(
      arrange(matches, { ...ALL, show: 'live', competition: 6628 }, new Set([6, 7]), NOW).counts,
    ).toEqual({
      all: 6,
      live: 2,
      upcoming: 2,
      finished: 2,
      favourites: 1,
    });
  });

  test.each([
    ['Bayern München', ['munch', ' MÜNCHEN ', 'bay', 'munchen bayern', 'bayern away']],
    ['Bodø/Glimt', ['bodo', 'bodo glimt', 'Bodø/Glimt', 'BODØ']],
  ])('find %s with and without accents, by any of its words', (name, queries) => {
    const all = [liveMatch({ home: { name, short_name: null, acronym: null } }), liveMatch({ event_id: 9 })];
    for (const q of queries) expect(arrange(all, { ...ALL, q }, null, NOW).shown, q).toBe(1);
  });

  test('list all competitions by name, whichever is chosen', () => {
    const levels = { competition: 'Cup', season: null, stage: null, group: null };
    const all = [liveMatch(), liveMatch({ event_id: 9, competition_id: 5, levels })];
    const { competitions } = arrange(all, { ...ALL, competition: 6628 }, null, NOW);
    expect(competitions).toEqual([
      { id: 5, name: 'Cup' },
      { id: 6628, name: 'League' },
    ]);
  });
});

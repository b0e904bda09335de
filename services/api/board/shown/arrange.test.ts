import { describe, expect, test } from 'vitest';
import { liveMatch } from '../testing/matches.ts';
import { arrange, type BoardQuery, newsWords, scoreNews } from './arrange.ts';
import type { BoardMatch } from './match.ts';

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

function shape(all: readonly BoardMatch[], query: Partial<BoardQuery>): Record<string, number[][]> {
  const { sections } = arrange(all, { ...ALL, ...query });
  return Object.fromEntries(
    sections.map(({ title, groups }) => [
      title,
      groups.map((group) => group.matches.map(({ event_id }) => event_id)),
    ]),
  );
}

describe('by status', () => {
  test('live ones come first, then the soonest to come, then the latest that are over', () => {
    expect(shape(matches, {})).toEqual({
      'Live now': [[5, 6]],
      Upcoming: [[4, 3]],
      Finished: [[2, 1]],
      'Not played': [[7]],
    });
  });

  test('the matches of one stage or group stand together', () => {
    const groups = [1, 2, 1].map((group_id, n) => liveMatch({ event_id: n, group_id }));
    expect(shape(groups, {})).toEqual({ 'Live now': [[0, 2], [1]] });
  });
});

test('by competition: those with a live match first, live matches first in each', () => {
  const place = { competition: 'Cup', season: null, stage: null, group: null };
  const cup = liveMatch({ event_id: 8, ...UPCOMING, competition_id: 5, place });
  expect(shape([cup, ...matches.slice(0, 6)], { by: 'competition' })).toEqual({
    League: [[5, 6, 4, 3, 2, 1]],
    Cup: [[8]],
  });
});

describe('filters', () => {
  test.each([
    ['live', { 'Live now': [[5, 6]] }],
    ['upcoming', { Upcoming: [[4, 3]] }],
    ['finished', { Finished: [[2, 1]] }],
  ] as const)('show %s', (show, expected) => {
    expect(shape(matches, { show })).toEqual(expected);
  });

  test('the counts are those of the other filters alone', () => {
    expect(arrange(matches, { ...ALL, show: 'live', competition: 6628 }).counts).toEqual({
      all: 6,
      live: 2,
      upcoming: 2,
      finished: 2,
    });
  });

  test.each([
    ['Bayern München', ['munch', ' MÜNCHEN ', 'bay', 'munchen bayern', 'bayern away']],
    ['Bodø/Glimt', ['bodo', 'bodo glimt', 'Bodø/Glimt', 'BODØ']],
    ['Łódź', ['lodz', 'Łódź']],
    ['İstanbul Başakşehir', ['istanbul', 'basaksehir']],
    ['Fenerbahçe', ['fenerbahce']],
  ])('finds %s with and without its accents, by any words of it', (name, queries) => {
    const all = [liveMatch({ home: { name, short_name: null } }), liveMatch({ event_id: 9 })];
    for (const q of queries) expect(arrange(all, { ...ALL, q }).shown, q).toBe(1);
  });

  test.each(['bodoe', 'home bodo', 'x'])('finds no team by %j', (q) => {
    const home = { name: 'Bodø/Glimt', short_name: null };
    expect(arrange([liveMatch({ home })], { ...ALL, q }).shown).toBe(0);
  });

  test.each(['', '  ', '!!!'])('shows all matches for %j', (q) => {
    expect(arrange([liveMatch(), liveMatch({ event_id: 9 })], { ...ALL, q }).shown).toBe(2);
  });

  test('competitions are listed by name, whatever is asked for', () => {
    const place = { competition: 'Cup', season: null, stage: null, group: null };
    const { competitions } = arrange([liveMatch(), liveMatch({ event_id: 9, competition_id: 5, place })], {
      ...ALL,
      competition: 6628,
    });
    expect(competitions).toEqual([
      { id: 5, name: 'Cup' },
      { id: 6628, name: 'League' },
    ]);
  });
});

describe('news of the score', () => {
  const at = (home: number, away: number) => liveMatch({ score: { home, away } });
  test.each([
    ['a goal', at(0, 0), at(0, 1), 'goal'],
    ['a cancelled goal', at(1, 1), at(0, 1), 'cancelled'],
    ['a goal moved to the other side', at(1, 0), at(0, 1), 'goal'],
    ['nothing', at(1, 0), at(1, 0), null],
    ['a score that is known for the first time', liveMatch({ score: null }), at(1, 0), null],
  ])('%s', (_, before, after, news) => expect(scoreNews(before, after)).toBe(news));

  test('in words', () => {
    const match = liveMatch({ under_review: true });
    expect(newsWords('goal', match)).toBe('Goal: Home 1, Away 0, under review.');
    expect(newsWords('cancelled', liveMatch())).toBe('Goal cancelled: Home 1, Away 0.');
  });
});

import { expect, test } from 'vitest';
import { TABLE_TYPES } from './columns.ts';
import { type Game, readGame } from './games.ts';
import { touchedBy } from './tables.ts';
import { KNOWN, LIVE, result, rulesOf, SCHEDULED, score, teamOf } from './testing/results.ts';
import type { SeasonResult } from './types.ts';

const ALL = [...TABLE_TYPES.keys()];
const OF_SCHEDULED = ['team_overall_stats', 'overall_stats'];

const gone = { status_type: 'cancelled' };
const A = teamOf(1, 'A');

function game(changes: Partial<SeasonResult> = {}): Game {
  const read = readGame(result(1, 'A 1-0 B', { ...KNOWN, ...changes }), rulesOf());
  if (read === null) throw new Error('it is no game');
  return read;
}

test.each<[Partial<SeasonResult>, Partial<SeasonResult>, readonly string[]]>([
  [{}, {}, []],
  [{}, { score: score('2-0') }, ALL],
  [{}, { round_id: 2 }, ALL],
  [LIVE, { ...LIVE, start_date: '2024-01-02 15:00' }, ALL],
  [LIVE, { ...LIVE, home: { ...A, id: 3 } }, ALL],
  [{}, { home: { ...A, name: 'AA' } }, ALL],
  [{}, { home: { ...A, acronym: 'AAA' } }, ALL],
  [{}, { home: { ...A, area_id: 5 } }, ALL],
  [{}, { home: { ...A, area_name: 'England' } }, ALL],
  [LIVE, { ...LIVE, away: teamOf(2, 'BB') }, ALL],
  [{}, { second_half: null }, ALL],
  [{}, { goals: null }, ALL],
  [{}, { goals: [] }, ALL],
  [{}, { cards: null }, ALL],
  [LIVE, {}, ALL],
  [{}, SCHEDULED, ALL],
  [LIVE, { ...LIVE, score: score('3-0') }, ['live']],
  [SCHEDULED, LIVE, ['live', ...OF_SCHEDULED]],
  [LIVE, gone, ['live']],
  [SCHEDULED, { ...SCHEDULED, round_id: 2 }, []],
  [SCHEDULED, gone, OF_SCHEDULED],
  [gone, gone, []],
])('a game with %j that becomes one with %j touches %j', (before, after, kinds) => {
  expect(touchedBy(game(before), game(after))).toEqual(kinds);
  expect(touchedBy(game(after), game(before))).toEqual(kinds);
});

test('a new or removed game touches every table; no game touches none', () => {
  expect(touchedBy(null, game(SCHEDULED))).toEqual(ALL);
  expect(touchedBy(game(SCHEDULED), null)).toEqual(ALL);
  expect(touchedBy(null, null)).toEqual([]);
});

import { expect, test } from 'vitest';
import { TABLE_TYPES } from './columns.ts';
import { type Game, readGame } from './games.ts';
import { touchedBy } from './tables.ts';
import { result, rulesOf, score, teamOf } from './testing/results.ts';
import type { StandingsMatch } from './types.ts';

const ALL = [...TABLE_TYPES.keys()];
const SCHEDULED = ['team_overall_stats', 'overall_stats'];

const goal = { kind: 'goal', team_id: 1, player: { id: 9, name: 'Nine' }, assistant: null } as const;
const card = { kind: 'yellow', team_id: 1, player: { id: 9, name: 'Nine' } } as const;
const live = { status_id: 33, status_type: 'live' };
const toCome = { status_id: 1, status_type: 'scheduled' };
const gone = { status_type: 'cancelled' };
const A = teamOf(1, 'A');

function game(changes: Partial<StandingsMatch> = {}): Game {
  const known = { first_half: score('0-0'), second_half: score('1-0'), goals: [goal], cards: [card] };
  const read = readGame(result(1, 'A 1-0 B', { ...known, ...changes }), rulesOf());
  if (read === null) throw new Error('it is no game');
  return read;
}

test.each<[Partial<StandingsMatch>, Partial<StandingsMatch>, readonly string[]]>([
  [{}, {}, []],
  [{}, { score: score('2-0') }, ALL],
  [{}, { round_id: 2 }, ALL],
  [{}, { start_date: '2024-01-02 15:00' }, ALL],
  [{}, { home: { ...A, id: 3 } }, ALL],
  [{}, { home: { ...A, name: 'AA' } }, ALL],
  [{}, { home: { ...A, acronym: 'AAA' } }, ALL],
  [{}, { home: { ...A, area_id: 5 } }, ALL],
  [{}, { home: { ...A, area_name: 'England' } }, ALL],
  [{}, { away: teamOf(2, 'BB') }, ALL],
  [{}, { second_half: null }, ALL],
  [{}, { goals: null }, ALL],
  [{}, { cards: null }, ALL],
  [live, {}, ALL],
  [{}, toCome, ALL],
  [live, { ...live, score: score('3-0') }, ['live']],
  [toCome, live, ['live', ...SCHEDULED]],
  [live, gone, ['live']],
  [toCome, toCome, []],
  [toCome, gone, SCHEDULED],
  [gone, gone, []],
])('a game with %j that becomes one with %j touches %j', (before, after, kinds) => {
  expect(touchedBy(game(before), game(after))).toEqual(kinds);
  expect(touchedBy(game(after), game(before))).toEqual(kinds);
});

test('a new or removed game touches every table; no game touches none', () => {
  expect(touchedBy(null, game(toCome))).toEqual(ALL);
  expect(touchedBy(game(toCome), null)).toEqual(ALL);
  expect(touchedBy(null, null)).toEqual([]);
});

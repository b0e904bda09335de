import { expect, test } from 'vitest';
import { GameSet } from './game-set.ts';
import { readGames } from './testing/derive.ts';
import { result, rulesOf } from './testing/results.ts';
import type { SeasonResult } from './types.ts';

const setOf = (results: readonly SeasonResult[]) =>
  new GameSet(readGames(results, rulesOf()).games.toReversed());
const ids = (games: Iterable<{ eventId: number }>) => Array.from(games, ({ eventId }) => eventId);

test('a set of games is in order of kick-off, then of id, whatever came first', () => {
  const on = (event: number, text: string, day: number) =>
    result(event, text, { start_date: `2024-01-0${day} 15:00` });
  const games = setOf([on(3, 'A 0-0 B', 5), on(9, 'A 0-0 C', 1), on(2, 'C 0-0 B', 5), on(1, 'B 0-0 A', 7)]);
  expect(ids(games)).toEqual([9, 2, 3, 1]);
  expect(ids(games.ofTeam(1))).toEqual([9, 3, 1]);
  expect(ids(games.from('2024-01-05 15:00'))).toEqual([2, 3, 1]);
  expect(games.last()?.eventId).toBe(1);
  expect([...games.teamIds()].sort()).toEqual([1, 2, 3]);
});

test('a set of games has each team as last reported with a name', () => {
  const named = (...names: readonly (string | null)[]) =>
    setOf(
      names.map((name, at) =>
        result(at + 1, 'A 0-0 B', {
          home: { id: 1, name, acronym: `A${at + 1}`, area_id: null, area_name: null },
        }),
      ),
    ).teams();
  expect(named(null).get(1)).toMatchObject({ name: null });
  expect(named(null, 'Second', 'Third', null).get(1)).toMatchObject({ name: 'Third', acronym: 'A3' });
});

test('a set of games is read once by each function', () => {
  let calls = 0;
  const count = (games: GameSet) => {
    calls += 1;
    return games.size;
  };
  const games = setOf([result(1, 'A 1-0 B')]);
  expect([games.view(count), games.view(count), calls]).toEqual([1, 1, 1]);
});

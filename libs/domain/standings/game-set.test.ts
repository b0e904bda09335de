import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GameSet, type GameView, subset, viewOf } from './game-set.ts';
import { compareOrder, type Game, readGame } from './games.ts';
import { result, rulesOf } from './testing/results.ts';

const rules = rulesOf();

function game(event: number, text: string, day = event, overrides = {}): Game {
  const start_date = `2024-01-${String(day).padStart(2, '0')} 15:00`;
  const read = readGame(result(event, text, { start_date, ...overrides }), rules);
  if (read === null) throw new Error(`no game: ${text}`);
  return read;
}

const ids = (games: Iterable<Game>) => Array.from(games, ({ eventId }) => eventId);
const HOME_GOALS: GameView<Map<number, number>> = {
  empty: () => new Map(),
  change: (value, { home, score }, times) => {
    const goals = (value.get(home.id) ?? 0) + times * (score?.home ?? 0);
    if (goals === 0) value.delete(home.id);
    else value.set(home.id, goals);
  },
};

describe('a set of games', () => {
  test('is in order of kick-off, then of id, whatever came first', () => {
    const games = viewOf(
      subset(() => true),
      [game(3, 'A 0-0 B', 5), game(9, 'A 0-0 C', 1), game(2, 'C 0-0 B', 5), game(1, 'B 0-0 A', 7)],
    );
    expect(ids(games)).toEqual([9, 2, 3, 1]);
    expect(ids(games.ofTeam(1))).toEqual([9, 3, 1]);
    expect(ids(games.from('2024-01-05 15:00'))).toEqual([2, 3, 1]);
    expect(games.last()?.eventId).toBe(1);
    expect(games.last(new Set(games.from('2024-01-05')))?.eventId).toBe(9);
  });

  test('has each team as last reported, with its last known name', () => {
    const games = new GameSet();
    const gameOf = (event: number, name: string | null) =>
      game(event, 'A 0-0 B', event, { home: { id: 1, name, acronym: `A${event}` } });
    games.add(gameOf(1, null));
    expect(games.teams().get(1)).toMatchObject({ name: null });
    games.add(gameOf(3, 'Third'));
    games.add(gameOf(2, 'Second'));
    games.add(gameOf(4, null));
    expect(games.teams().get(1)).toMatchObject({ name: 'Third', acronym: 'A3' });
    games.remove(gameOf(3, 'Third'));
    expect(games.teams().get(1)).toMatchObject({ name: 'Second' });
    expect([...games.teamIds()]).toEqual([1, 2]);
    for (const one of [gameOf(1, null), gameOf(2, 'Second'), gameOf(4, null)]) games.remove(one);
    expect([...games.teamIds()]).toEqual([]);
  });

  test('builds a view once, then updates it with each game added or removed', () => {
    const seen: number[] = [];
    const view: GameView<number[]> = {
      empty: () => [],
      change: (_, { eventId }, times) => seen.push(times * eventId),
    };
    const games = new GameSet();
    const first = Array.from({ length: 20 }, (_, at) => game(at + 1, 'A 1-0 B'));
    for (const one of first) games.add(one);
    games.view(view);
    expect(seen).toHaveLength(20);
    games.view(view);
    games.remove(first[4] as Game);
    games.add(game(21, 'A 1-0 B'));
    games.view(view);
    expect(seen.slice(20)).toEqual([-5, 21]);
  });

  test('has the same views as a set without the removed games', () => {
    const anyGame = fc
      .tuple(
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom('A 2-0 B', 'B 1-1 C', 'C ? A'),
        fc.integer({ min: 1, max: 3 }),
      )
      .map(([event, text, day]) => game(event, text, day));
    const atHome = subset(({ home }) => home.id === 1);
    fc.assert(
      fc.property(fc.array(fc.tuple(anyGame, fc.boolean())), (steps) => {
        const games = new GameSet();
        const there = new Map<number, Game>();
        for (const [one, leaves] of steps) {
          const before = there.get(one.eventId);
          if (before !== undefined) games.remove(before);
          there.delete(one.eventId);
          if (leaves) continue;
          games.add(one);
          there.set(one.eventId, one);
          games.view(HOME_GOALS);
          games.view(atHome);
        }
        const left = [...there.values()].sort(compareOrder);
        expect([...games]).toEqual(left);
        expect(games.view(HOME_GOALS)).toEqual(viewOf(HOME_GOALS, left));
        expect([...games.view(atHome)]).toEqual([...viewOf(atHome, left)]);
        expect(new Set(games.teamIds())).toEqual(
          new Set(left.flatMap(({ home, away }) => [home.id, away.id])),
        );
      }),
    );
  });
});

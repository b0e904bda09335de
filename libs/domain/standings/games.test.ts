/** Which results count, by the rules, and what is told of those that could not. */
import { describe, expect, test } from 'vitest';
import { type Flag, flagsOf, readGame, readGames } from './games.ts';
import { result, rulesOf, score } from './testing/results.ts';
import type { StandingsMatch } from './types.ts';

const goal = { kind: 'goal', team_id: 1, player: { id: 9, name: 'Nine' }, assistant: null } as const;
const card = { kind: 'yellow', team_id: 1, player: { id: 9, name: 'Nine' } } as const;
const known = { first_half: score('0-0'), second_half: score('1-0'), goals: [goal], cards: [card] };
const live = { status_id: 33, status_type: 'live' };
const read = (changes: Partial<StandingsMatch>, rules: object = {}, day: string | null = null) =>
  readGame(result(1, 'A 1-0 B', { ...known, ...changes }), rulesOf({ ...rules }), day);

describe('the state of a game', () => {
  test.each<[string | undefined, Partial<StandingsMatch>]>([
    ['played', {}],
    ['void', { status_id: 7 }],
    ['playing', live],
    ['void', { status_type: 'cancelled' }],
    ['to_come', { status_type: 'scheduled' }],
    ['to_come', { status_type: null }],
    [undefined, { removed: true }],
    [undefined, { status_type: 'deleted' }],
    [undefined, { home: null }],
    [undefined, { away: null }],
    [undefined, { away: { id: 1, name: 'A' } }],
  ])('is %s with %j', (state, changes) => {
    expect(read(changes)?.state).toBe(state);
  });

  test.each<[string, object]>([
    ['void', { annulled: [1] }],
    ['played', { annulled: [2] }],
    ['void', { expelled: [{ participant_id: 2, results: 'annulled' }] }],
    ['void', { expelled: [{ participant_id: 1, results: 'annulled' }] }],
    ['played', { expelled: [{ participant_id: 3, results: 'annulled' }] }],
    ['played', { expelled: [{ participant_id: 1, results: 'kept' }] }],
  ])('is %s by %j', (state, rules) => {
    expect(read({}, rules)?.state).toBe(state);
  });

  test('is to come on a day before its own, and known on that day', () => {
    expect(read({}, {}, '2023-12-31')).toMatchObject({
      state: 'to_come',
      score: null,
      goals: null,
      cards: null,
    });
    expect(read({}, {}, '2024-01-01')).toMatchObject({ state: 'played', score: { home: 1, away: 0 } });
    expect(read({ start_date: null }, {}, '2023-12-31')).toMatchObject({ state: 'played', start: '' });
  });

  test('is played with the score that was awarded, whatever its status', () => {
    const awarded = [{ event_id: 1, home: 0, away: 3 }];
    expect(read({ status_id: 7 }, { awarded })).toMatchObject({
      state: 'played',
      score: { home: 0, away: 3 },
    });
  });

  test('leaves nothing of a game that does not count', () => {
    const nothing = { score: null, firstHalf: null, secondHalf: null, goals: null, cards: null };
    expect(read({ status_id: 7 })).toMatchObject(nothing);
    const { first_half: firstHalf, second_half: secondHalf, goals, cards } = known;
    for (const status of [{}, live])
      expect(read(status)).toMatchObject({
        score: { home: 1, away: 0 },
        firstHalf,
        secondHalf,
        goals,
        cards,
      });
  });
});

describe('what could not be counted', () => {
  test.each<[Flag['reason'][], Partial<StandingsMatch>]>([
    [[], {}],
    [['unknown_participant'], { home: null }],
    [['unknown_participant'], { ...live, home: null }],
    [[], { status_type: 'scheduled', home: null }],
    [[], { removed: true, home: null }],
    [['unknown_score'], { score: null }],
    [['unknown_score'], { ...live, score: null, first_half: null, goals: null }],
    [[], { ...live, first_half: null, second_half: null, goals: null, cards: null }],
    [[], { status_type: 'scheduled', score: null }],
    [['unknown_first_half'], { first_half: null }],
    [['unknown_second_half'], { second_half: null }],
    [['unknown_goals'], { goals: null }],
    [['unknown_scorer'], { goals: [goal, { ...goal, player: null }] }],
    [[], { goals: [{ ...goal, kind: 'own_goal', player: null }] }],
    [['unknown_cards'], { cards: null }],
    [['unknown_carded'], { cards: [card, { ...card, player: null }] }],
  ])('is %j with %j', (reasons, changes) => {
    const one = result(1, 'A 1-0 B', { ...known, ...changes });
    const flags = flagsOf(one, readGame(one, rulesOf(), null));
    expect(flags).toEqual(reasons.map((reason) => ({ event_id: 1, reason })));
  });
});

test('games are read once each by their latest version, oldest first', () => {
  const late = result(3, 'A 1-0 B', { start_date: '2024-01-01 15:00' });
  const results = [result(2, 'B 2-2 A', { version: 2 }), result(2, 'B 0-0 A'), late, result(1, 'A ? B')];
  const { games, flags } = readGames(results, rulesOf());
  expect(games.map(({ eventId, score: of }) => [eventId, of])).toEqual([
    [1, null],
    [3, { home: 1, away: 0 }],
    [2, { home: 2, away: 2 }],
  ]);
  expect(flags.map(({ event_id }) => event_id)).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
});

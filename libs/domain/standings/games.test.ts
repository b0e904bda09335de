/** Which results count by the rules, and the flags of those that cannot be counted. */
import { describe, expect, test } from 'vitest';
import { type Flag, flagsOf, readGame } from './games.ts';
import { CARD, GOAL, KNOWN, LIVE, result, rulesOf, teamOf } from './testing/results.ts';
import type { SeasonResult } from './types.ts';

const read = (changes: Partial<SeasonResult>, rules: object = {}) =>
  readGame(result(1, 'A 1-0 B', { ...KNOWN, ...changes }), rulesOf({ ...rules }));

describe('the state of a game', () => {
  test.each<[string | undefined, Partial<SeasonResult>]>([
    ['played', {}],
    ['void', { status_id: 7 }],
    ['playing', LIVE],
    ['void', { status_type: 'cancelled' }],
    ['to_come', { status_type: 'scheduled' }],
    ['to_come', { status_type: null }],
    [undefined, { removed: true }],
    [undefined, { status_type: 'deleted' }],
    [undefined, { home: null }],
    [undefined, { away: null }],
    [undefined, { away: teamOf(1, 'A') }],
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

  test('is played with the score that was awarded, whatever its status', () => {
    const awarded = [{ event_id: 1, home: 0, away: 3 }];
    expect(read({ status_id: 7 }, { awarded })).toMatchObject({
      state: 'played',
      score: { home: 0, away: 3 },
    });
  });

  test('has no score, goals and cards in a game that does not count', () => {
    const nothing = { score: null, firstHalf: null, secondHalf: null, goals: null, cards: null };
    expect(read({ status_id: 7 })).toMatchObject(nothing);
    const { first_half: firstHalf, second_half: secondHalf, goals, cards } = KNOWN;
    for (const status of [{}, LIVE])
      expect(read(status)).toMatchObject({
        score: { home: 1, away: 0 },
        firstHalf,
        secondHalf,
        goals,
        cards,
      });
  });
});

test.each<[Flag['reason'][], Partial<SeasonResult>]>([
  [[], {}],
  [['unknown_participant'], { home: null }],
  [['unknown_participant'], { ...LIVE, home: null }],
  [[], { status_type: 'scheduled', home: null }],
  [[], { removed: true, home: null }],
  [['unknown_score'], { score: null }],
  [['unknown_score'], { ...LIVE, score: null, first_half: null, goals: null }],
  [[], { ...LIVE, first_half: null, second_half: null, goals: null, cards: null }],
  [[], { status_type: 'scheduled', score: null }],
  [['unknown_first_half'], { first_half: null }],
  [['unknown_second_half'], { second_half: null }],
  [['unknown_goals'], { goals: null }],
  [['unknown_scorer'], { goals: [GOAL, { ...GOAL, player: null }] }],
  [[], { goals: [{ ...GOAL, kind: 'own_goal', player: null }] }],
  [['unknown_cards'], { cards: null }],
  [['unknown_carded'], { cards: [CARD, { ...CARD, player: null }] }],
])('the flags of a game are %j with %j', (reasons, changes) => {
  const one = result(1, 'A 1-0 B', { ...KNOWN, ...changes });
  const flags = flagsOf(one, readGame(one, rulesOf()));
  expect(flags).toEqual(reasons.map((reason) => ({ event_id: 1, reason })));
});

import { describe, expect, test } from 'vitest';
import { reportedScore } from './event-facts.ts';
import { sidesOf } from './testing/goals.ts';
import { AWAY, eventOf, HOME, participants } from './testing/messages.ts';

const side = (id: number, name: string, acronym: string) => ({ id, name, short_name: name, acronym });
const home = side(HOME, 'Home', 'HOM');
const away = side(AWAY, 'Away', 'AWA');

describe('the sides of an event', () => {
  test('are found by the counter of a participant, not by its position', () => {
    expect(sidesOf(participants().toReversed())).toMatchObject({ home, away, reported: null });
  });

  test.each([
    { value: [2, 1], reported: { home: 2, away: 1 } },
    { value: ['2', '0'], reported: { home: 2, away: 0 } },
    { value: [0, 0], reported: { home: 0, away: 0 } },
    { value: [2, null], reported: null },
    { value: [2, undefined], reported: null },
    { value: ['', 1], reported: null },
    { value: [-1, 1], reported: null },
    { value: ['w/o', 1], reported: null },
  ])('have a reported score only if both have result 2: $value', ({ value, reported }) => {
    const sides = participants(value[0], value[1]);
    expect(sidesOf(sides).reported).toEqual(reported);
    const said = eventOf({ participants: sides.toReversed() }).participants;
    expect(reportedScore(said)).toEqual(reported);
    expect(reportedScore(said.slice(1))).toBeNull();
  });

  test.each([null, undefined, 'two', {}, [], [null], [{ counter: 1 }], [{ id: 'x', counter: 1 }]])(
    'are unknown where there are none: %j',
    (value) => {
      expect(sidesOf(value)).toEqual({
        home: null,
        away: null,
        reported: null,
        reportedShootOut: null,
        table: { home: null, away: null, first_half: null, second_half: null },
      });
    },
  );

  test('skip an item that is no result', () => {
    const sides = [1, 2].map((counter) => ({ id: counter, counter, results: [null, { id: 2, value: 3 }] }));
    expect(sidesOf(sides).reported).toEqual({ home: 3, away: 3 });
  });

  test('have for tables the halves that both sides have, and a team’s area', () => {
    const [first, second] = participants() as object[];
    const results = (halves: unknown[]) => halves.map((value, at) => ({ id: 4 + at, value }));
    const { table } = sidesOf([
      { ...first, area_id: 5, area_name: 'England', results: results([1, '2']) },
      { ...second, results: results([0, null]) },
    ]);
    const noArea = { area_id: null, area_name: null };
    expect(table).toEqual({
      home: { id: HOME, name: 'Home', acronym: 'HOM', area_id: 5, area_name: 'England' },
      away: { id: AWAY, name: 'Away', acronym: 'AWA', ...noArea },
      first_half: { home: 1, away: 0 },
      second_half: null,
    });
  });
});

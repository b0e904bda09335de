import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ResultCard } from '#records/types.ts';
import { idOf, lines, result, results, rulesFile, rulesOf, table } from './testing/results.ts';

const order = (games: Parameters<typeof table>[1], tie_break: unknown[]) =>
  lines(table('league', games, rulesOf({ tie_break }))).join(', ');

/** A and B have 3 points each; B won between them, A has the better difference. */
const TWO = results('B 1-0 A, A 5-0 C, C 1-0 B');

describe('head-to-head', () => {
  const two = results('B 1-0 A, A 5-0 C, D 1-0 B, D 0-0 C');
  const steps = (after_meetings: number, by = 'points') => {
    return ['points', { head_to_head: [by], after_meetings }, 'goals_diff'];
  };

  test('counts the matches among the equal teams alone', () => {
    expect(order(two, ['points', 'goals_diff'])).toBe('1 D, 2 A, 3 B, 4 C');
    expect(order(two, ['points', { head_to_head: ['points'] }, 'goals_diff'])).toBe('1 D, 2 B, 3 A, 4 C');
  });

  test('applies once all equal teams have met as often as the rules say', () => {
    expect(order(two, steps(1))).toBe('1 D, 2 B, 3 A, 4 C');
    expect(order(two, steps(2))).toBe('1 D, 2 A, 3 B, 4 C');
    // Three are equal, and two of them have not met.
    const three = results('B 1-0 A, A 5-0 D, C 3-0 D');
    expect(order(three, steps(0))).toBe('1 B, 2 A, 3 C, 4 D');
    expect(order(three, steps(1))).toBe('1 A, 2 C, 3 B, 4 D');
  });

  test('counts a meeting at either home', () => {
    const home = results('A 1-0 B, B 0-1 A, B 5-0 C, C 0-5 B, D 1-0 A, D 0-0 C');
    expect(order(home, steps(2))).toBe('1 A, 2 B, 3 D, 4 C');
  });

  test('of three teams applies once each two of them have met as often as the rules say', () => {
    const once = results('A 3-0 B, B 1-0 C, C 1-0 A, A 1-0 D, B 9-0 D, C 1-0 D');
    expect(order(once, steps(1, 'goals_diff'))).toBe('1 A, 2 C, 3 B, 4 D');
    // One pair has met twice, and without goals.
    const twice = results('B 0-0 A, C 0-0 D', { first: 7 });
    expect(order([...once, ...twice], steps(2, 'goals_diff'))).toBe('1 B, 2 A, 3 C, 4 D');
  });

  test('is applied again to teams that are still equal, if the rules say so', () => {
    // All but E have nine points. Among the four A and B have six; B won between these two.
    const six = 'B 1-0 A, A 2-0 C, D 1-0 B, C 2-0 D, A 1-0 D, B 1-0 C';
    const four = results(`${six}, D 1-0 E, C 1-0 E, A 3-0 E, B 1-0 E, C 1-0 E, D 1-0 E`);
    const again = (again: boolean) => ['points', { head_to_head: ['points'], again }, 'goals_diff'];
    expect(order(four, again(false))).toBe('1 A, 2 B, 3 C, 4 D, 5 E');
    expect(order(four, again(true))).toBe('1 B, 2 A, 3 C, 4 D, 5 E');
  });

  test('leaves teams that it finds equal to the next criterion', () => {
    const circle = [...TWO, ...results('B 0-0 D, A 0-0 D, C 0-0 D', { first: 4 })];
    expect(order(circle, ['points', { head_to_head: ['points'] }, 'goals_diff'])).toBe('1 A, 2 B, 3 C, 4 D');
  });
});

const FAIR_PLAY = { yellow: -1, second_yellow: -3, red: -4, yellow_and_red: -5 };
const BY_CARDS = ['points', 'goals_diff', { fair_play: FAIR_PLAY }];

/** Returns the cards of a team in a match: the letters of each player's cards, those of unknown players first. */
const shown = (team: string, [unknown = '', ...players]: readonly string[]): ResultCard[] =>
  [unknown, ...players].flatMap((cards, player) =>
    [...cards].map((card) => ({
      kind: card === 'Y' ? 'yellow' : 'red',
      team_id: idOf(team),
      player: player === 0 ? null : { id: player, name: null },
      attribute_ids: [],
    })),
  );

/** A and B are equal on everything but cards. */
const carded = (ofA: ResultCard[] | null, ofB: ResultCard[]) => [
  result(1, 'A 1-0 C', { cards: ofA }),
  result(2, 'B 1-0 C', { cards: ofB }),
];

describe('fair play', () => {
  const ranked = (ofA: readonly string[], ofB: readonly string[]) =>
    order(carded(shown('A', ofA), shown('B', ofB)), BY_CARDS);

  test('counts each player once a match: a yellow card, a second yellow, a red, or a red after a yellow', () => {
    expect(ranked(['', 'YYR'], ['', 'Y'])).toBe('1 B, 2 A, 3 C');
    expect(ranked(['', 'R'], ['', 'YYR'])).toBe('1 B, 2 A, 3 C');
    expect(ranked(['', 'YR'], ['', 'R'])).toBe('1 B, 2 A, 3 C');
    expect(ranked(['', 'YYR'], ['', 'Y', 'Y', 'Y'])).toBe('1 A, 1 B, 3 C');
    expect(ranked(['', 'YR'], ['', 'R', 'Y'])).toBe('1 A, 1 B, 3 C');
    // A second yellow card counts as such even if its red card was not reported.
    expect(ranked(['', 'YY'], ['', 'YYR'])).toBe('1 A, 1 B, 3 C');
  });

  test('counts each card of unknown players', () => {
    expect(ranked(['YY'], ['', 'Y', 'Y'])).toBe('1 A, 1 B, 3 C');
  });

  test('counts no card of the other side', () => {
    expect(order(carded([], shown('C', ['', 'R'])), BY_CARDS)).toBe('1 A, 1 B, 3 C');
  });

  test('places no team if the cards of a match are unknown', () => {
    const unknown = carded(null, shown('B', ['', 'Y']));
    expect(order(unknown, BY_CARDS)).toBe('1 A, 1 B, 3 C');
  });
});

test('drawn lots separate the teams they name, and no others', () => {
  const equal = results('A 0-0 B, C 0-0 D');
  const drawn = (...lots: number[][]) => order(equal, ['points', { drawing_of_lots: lots }]);
  expect(drawn([4, 2, 1, 3])).toBe('1 D, 2 B, 3 A, 4 C');
  expect(drawn([2, 1])).toBe('1 A, 1 B, 1 C, 1 D');
  expect(drawn()).toBe('1 A, 1 B, 1 C, 1 D');
});

test('ranks by the number of wins and by goals scored if the rules say so', () => {
  const games = results('A 1-0 B, B 3-1 A, C 5-5 D');
  expect(order(games, ['won', 'goals_scored'])).toBe('1 B, 2 A, 3 C, 3 D');
  expect(order(games, ['goals_scored', 'won'])).toBe('1 C, 1 D, 3 B, 4 A');
});

const RULES = new URL('../../../data/rules/', import.meta.url);
const SHIPPED = readdirSync(RULES).map((file) => file.replace('.json', ''));

test.each(SHIPPED)('%s.json can be read, and says where its rules are published', (name) => {
  const { tie_break, source } = rulesFile(name);
  expect(tie_break[0]).toMatch(/^points/);
  expect(source === null).toBe(name === 'default');
});

test('France places the winner of the matches between two clubs above the one with more goals', () => {
  // As Metz and Lorient in 2023-24.
  const games = results('A 1-0 B, B 0-0 A, B 3-2 C, C 1-0 A');
  const of = (name: string) => order(games, rulesFile(name).tie_break).replace(/, 3 C|1 C, /, '');
  expect([of('fr'), of('fr_2025-26'), of('en')]).toEqual(['1 A, 2 B', '1 A, 2 B', '1 B, 2 A']);
});

test('Germany and Denmark place equal clubs by away goals, England leaves them equal', () => {
  const games = results('A 1-0 B, B 2-1 A');
  const of = (name: string) => order(games, rulesFile(name).tie_break);
  expect([of('de'), of('dk'), of('en')]).toEqual(['1 A, 2 B', '1 A, 2 B', '1 A, 1 B']);
});

test('Belgium counts away wins before away goals', () => {
  const games = results('C 0-1 A, A 2-3 D, B 1-0 C, D 3-2 B');
  expect(order(games, rulesFile('be').tie_break)).toBe('1 D, 2 A, 3 B, 4 C');
});

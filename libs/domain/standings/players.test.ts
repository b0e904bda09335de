import { describe, expect, test } from 'vitest';
import type { ResultCard, ResultGoal } from '#records/types.ts';
import { readDataset } from '../../../data/dataset.ts';
import { SeasonTables } from './season-tables.ts';
import { lines, result, rulesOf, table } from './testing/results.ts';
import { resultOfFacts } from './testing/seasons.ts';

const person = (id: number) => ({ id, name: `P${id}` });
const goal = (
  player: number | null,
  team_id: number,
  assistant: number | null = null,
  kind: ResultGoal['kind'] = 'goal',
): ResultGoal => ({
  kind,
  team_id,
  player: player === null ? null : person(player),
  assistant: assistant === null ? null : person(assistant),
});
const card = (kind: ResultCard['kind'], player: number, team_id: number): ResultCard => ({
  kind,
  team_id,
  player: person(player),
  attribute_ids: [],
});

describe('persons', () => {
  const results = [
    result(1, 'A 3-1 B', {
      goals: [goal(10, 1, 11), goal(10, 1, null, 'penalty'), goal(20, 2, 11, 'own_goal'), goal(20, 2)],
      cards: [card('yellow', 10, 1), card('yellow', 20, 2), card('red', 20, 2)],
    }),
    result(2, 'C 1-2 A', {
      goals: [goal(null, 1), goal(11, 1, 10), { ...goal(10, 3, 11), player: { id: 10, name: null } }],
      cards: [card('red', 10, 3)],
    }),
    result(3, 'B 9-0 C', { status_id: 33, status_type: 'live', goals: [goal(20, 2)], cards: [] }),
  ];

  test('score goals: own goals count for no one, games in play do not count yet', () => {
    const scorers = table('top_scorers', results);
    expect(lines(scorers, 'goals_scored')).toEqual(['1 P10 3', '2 P11 1', '2 P20 1']);
    // P10 went from A to C: the last club is shown.
    const clubs = scorers.rows.map(({ club, last_rank }) => `${club?.name} ${last_rank}`);
    expect(clubs).toEqual(['C null', 'A null', 'B null']);
  });

  test('assist goals', () => {
    for (const kind of ['assists', 'assists_115'] as const)
      expect(lines(table(kind, results), 'assists')).toEqual(['1 P11 2', '2 P10 1']);
  });

  test('are shown cards, which have points if the rules give them', () => {
    const codes = ['yellow_cards', 'red_cards', 'cards', 'pts'];
    expect(lines(table('cards', results), ...codes)).toEqual(['1 P10 1 1 2 ', '1 P20 1 1 2 ']);
    const rules = rulesOf({ card_points: { yellow: 1, red: 3 } });
    expect(lines(table('cards', results, rules), ...codes)).toEqual(['1 P10 1 1 2 4', '1 P20 1 1 2 4']);
    expect(table('cards', results).rows[0]?.columns).not.toHaveProperty('pts');
  });

  test('with equal points of cards rank by their number, and without points by that alone', () => {
    const many = (count: number, of: ResultCard) => Array.from({ length: count }, () => of);
    const cards = [card('yellow', 10, 1), ...many(3, card('red', 10, 1)), ...many(2, card('yellow', 20, 2))];
    const shown = (rules: Record<string, unknown>) =>
      lines(table('cards', [result(1, 'A 0-0 B', { cards })], rulesOf(rules)), 'cards', 'pts');
    expect(shown({})).toEqual(['1 P10 4 ', '2 P20 2 ']);
    expect(shown({ card_points: { yellow: 3, red: 1 } })).toEqual(['1 P10 4 6', '2 P20 2 6']);
    expect(shown({ card_points: { yellow: 4, red: 1 } })).toEqual(['1 P20 2 8', '2 P10 4 7']);
  });

  test('lose a goal that is taken back, and with their last one the row and the club', () => {
    const season = new SeasonTables(1, 2, rulesOf());
    const scorers = (event: number, version: number, ...goals: ResultGoal[]) => {
      season.apply(result(event, event === 1 ? 'A 2-0 B' : 'C 1-0 A', { version, goals }));
      const table = season.derive().find(({ type }) => type.kind === 'top_scorers');
      return table?.groups[0]?.rows.map(({ participant, club }) => `${participant.name} ${club?.name}`);
    };
    expect(scorers(1, 1, goal(10, 1), goal(11, 1))).toEqual(['P10 A', 'P11 A']);
    expect(scorers(2, 1, goal(10, 3))).toEqual(['P10 C', 'P11 A']);
    expect(scorers(2, 2)).toEqual(['P10 A', 'P11 A']);
    expect(scorers(1, 2, goal(10, 1))).toEqual(['P10 A']);
  });

  test('have a position before the last round of their club', () => {
    const rounds = [
      result(1, 'A 2-1 B', { goals: [goal(20, 1), goal(20, 1), goal(10, 2)] }),
      result(2, 'B 2-0 A', { goals: [goal(10, 2), goal(10, 2)] }),
    ];
    expect(table('top_scorers', rounds).rows).toMatchObject([
      { participant: { name: 'P10' }, rank: 1, last_rank: 2 },
      { participant: { name: 'P20' }, rank: 2, last_rank: 1 },
    ]);
  });
});

describe('England 2017-18', () => {
  const { matches } = readDataset('england-2017-18');
  const results = matches.map(resultOfFacts);
  /** Counts in the timelines how often a person is named with one of the kinds. */
  const totals = (...kinds: string[]) => {
    const counts: Record<string, number> = {};
    for (const [, , kind, , id] of matches.flatMap(({ events }) => events))
      if (kinds.includes(kind)) counts[id] = (counts[id] ?? 0) + 1;
    return counts;
  };
  const shown = (kind: 'top_scorers' | 'cards', code: string) =>
    Object.fromEntries(
      table(kind, results).rows.flatMap((row) => {
        const value = row.columns[code] as number;
        return value === 0 ? [] : [[String(row.participant.id), value]];
      }),
    );

  test('has the scorers of the timelines, the best one with his record of 32 goals', () => {
    expect(shown('top_scorers', 'goals_scored')).toEqual(totals('goal', 'penalty_goal'));
    expect(table('top_scorers', results).rows[0]?.columns.goals_scored).toBe(32);
  });

  test('has the cards of the timelines', () => {
    expect(shown('cards', 'yellow_cards')).toEqual(totals('yellow', 'second_yellow'));
    expect(shown('cards', 'red_cards')).toEqual(totals('red', 'second_yellow'));
  });
});

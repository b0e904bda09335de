/** Every cell of the figures of a team, and of all games. */
import { expect, test } from 'vitest';
import { cellsOf } from '#contract/rest/standings-record.ts';
import type { TableKind } from './columns.ts';
import { percentage, ratio } from './stats.ts';
import { lines, result, score, table } from './testing/results.ts';

const halves = (first: string, second: string) => ({ first_half: score(first), second_half: score(second) });
const GAMES = [
  result(1, 'A 3-1 B', halves('1-1', '2-0')),
  result(2, 'B 0-0 A', halves('0-0', '0-0')),
  result(3, 'A 0-1 C', halves('0-0', '0-1')),
  result(4, 'C ? A', { status_id: 1, status_type: 'scheduled' }),
  result(5, 'C 1-2 A', halves('1-0', '0-2')),
  result(6, 'B 4-0 C', halves('2-0', '2-0')),
  result(7, 'B 3-0 C', halves('0-0', '3-0')),
];

function cells(kind: TableKind, name: string | null): string[] {
  const { rows, type } = table(kind, GAMES);
  const row = rows.find(({ participant }) => participant.name === name);
  // Two columns have the same code.
  return row === undefined ? [] : cellsOf(row, type).map(({ code, value }) => `${code} ${value}`);
}

const OF_A = [
  'mp 4, won 2, draw 1, lost 1, goals_scored 5, goals_allowed 3, home_won 1, home_draw 0',
  'home_lost 1, home_goals_scored 3, home_goals_allowed 2, away_won 1, away_draw 1, away_lost 0',
  'away_goals_scored 2, away_goals_allowed 1, home_won_pct 50.00, away_won_pct 50.00, scheduled 1',
  'draw_pct 25.00, avg_goals_scored 1.25, avg_home_goals_scored 1.50, avg_away_goals_scored 1.00',
  '1half_avg_goals_scored 0.25, 2half_avg_goals_scored 1.00, over_2_5_goals 2',
  'over_2_5_goals_pct 50.00, under_2_5_goals 2, under_2_5_goals_pct 50.00, over_1_5_goals 2',
  'over_1_5_goals_pct 50.00, under_1_5_goals 2, under_1_5_goals_pct 50.00, over_0_5_goals 3',
  'over_0_5_goals_pct 75.00, under_0_5_goals 1, under_0_5_goals_pct 25.00, won_pct 50.00',
  'lost_pct 25.00, home_draw_pct 0.00, away_draw_pct 50.00, home_lost_pct 50.00, away_lost_pct 0.00',
  'avg_goals_allowed 0.75, won_first_half 0, won_second_half 2, home_wins_first_half 0',
  'home_wins_second_half 1, draw_first_half 3, draw_second_half 1, home_draw_first_half 2',
  'home_draw_second_half 0, home_losses_first_half 0, home_losses_second_half 1',
  'away_wins_first_half 0, away_wins_second_half 1, away_won_pct 50.00, away_draw_first_half 1',
  'away_draw_second_half 1, away_losses_first_half 1, away_losses_second_half 0',
  'goals_scored_first_half 1, goals_scored_second_half 4, goals_allowed_first 2',
  'goals_allowed_second 1, home_goals_scored_first_half 1, home_goals_scored_second_half 2',
  'away_goals_scored_first_half 0, away_goals_scored_second_half 2, home_goals_allowed_first_half 1',
  'home_goals_allowed_second_half 1, away_goals_allowed_first_half 1',
  'away_goals_allowed_second_half 0, home_avg_goals_allowed 1.00, away_avg_goals_allowed 0.50',
  'avg_goals_allowed_first_half 0.50, avg_goals_allowed_second_half 0.25',
  'home_average_goals_allowed_first 0.50, home_average_goals_allowed_second 0.50',
  'away_average_goals_allowed_first 0.50, away_average_goals_allowed_second 0.00, over_4_5_goals 0',
  'over_4_5_goals_pct 0.00, under_4_5_goals 4, under_4_5_goals_pct 100.00, over_3_5_goals 1',
  'over_3_5_goals_pct 25.00, under_3_5_goals 3, under_3_5_goals_pct 75.00, 1half_lost 1',
  '2half_lost 1',
];

const OF_ALL = [
  'home_lost 2, scheduled 1, home_won_first_half 2, mp 6, home_won 3, home_won_pct 50.00, draw 1',
  'draw_pct 16.67, away_won 2, away_won_pct 33.33, goals_scored 15, home_goals_scored 11',
  'away_goals_scored 4, avg_goals_scored 2.50, avg_home_goals_scored 1.83',
  'avg_away_goals_scored 0.67, 1half_avg_goals_scored 0.83, 2half_avg_goals_scored 1.67',
  'away_goals_allowed 11, goals_allowed 15, 1half_goals_allowed 5, home_avg_goals_allowed 0.67',
  'over_2_5_goals 4, over_2_5_goals_pct 66.67, under_2_5_goals 2, under_2_5_goals_pct 33.33',
  'over_1_5_goals 4, over_1_5_goals_pct 66.67, under_1_5_goals 2, under_1_5_goals_pct 33.33',
  'over_0_5_goals 5, over_0_5_goals_pct 83.33, under_0_5_goals 1, under_0_5_goals_pct 16.67',
  'avg_goals_allowed 2.50',
];

test('a team has its figures, in whole games, halves and by venue', () => {
  expect(cells('team_overall_stats', 'A')).toEqual(OF_A.flatMap((line) => line.split(', ')));
});

test('all games together have figures', () => {
  expect(cells('overall_stats', null)).toEqual(OF_ALL.flatMap((line) => line.split(', ')));
});

test('a team without a game at home has no shares and averages of such games', () => {
  const [, away] = table('team_overall_stats', [result(1, 'A 1-0 B')]).rows;
  const codes = ['home_won_pct', 'avg_home_goals_scored', 'home_avg_goals_allowed', 'home_won'];
  expect([away?.participant.name, ...codes.map((code) => away?.columns[code])]).toEqual([
    'B',
    null,
    null,
    null,
    0,
  ]);
});

test('ranks results by frequency, then by fewer goals, then by fewer goals of the home team', () => {
  const scores = ['2-0', '1-1', '0-2', '3-1', '3-1', '1-0', '0-0', '0-0', '0-0', '?'];
  const games = scores.map((score, at) => result(at + 1, `A ${score} B`));
  expect(lines(table('popular_results', games), 'amount', 'pct')).toEqual([
    '1 0:0 3 33.33',
    '2 3:1 2 22.22',
    '3 1:0 1 11.11',
    '3 0:2 1 11.11',
    '3 1:1 1 11.11',
    '3 2:0 1 11.11',
  ]);
});

test.each([
  [0, 3, 0],
  [1, 3, 0.33],
  [2, 3, 0.67],
  [1, 200, 0.01],
  [5, 2, 2.5],
  [7, 0, null],
])('the ratio %d of %d is %j', (count, divisor, expected) => {
  expect(ratio(count, divisor)).toBe(expected);
});

test('percentages are ratios', () => {
  expect([percentage(1, 3), percentage(38, 38), percentage(0, 0)]).toEqual([33.33, 100, null]);
});

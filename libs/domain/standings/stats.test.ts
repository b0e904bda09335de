import { expect, test } from 'vitest';
import { cell, lines, result, score, table } from './testing/results.ts';

const halves = (first: string, second: string) => ({ first_half: score(first), second_half: score(second) });
const GAMES = [
  result(1, 'A 3-1 B', halves('1-1', '2-0')),
  result(2, 'B 0-0 A', halves('0-0', '0-0')),
  result(3, 'A 0-1 C', halves('0-0', '0-1')),
  result(4, 'C ? B', { status_id: 1, status_type: 'scheduled' }),
];

/** Returns some cells of a team's row. */
function cellsOf(team: string, ...codes: string[]) {
  const row = table('team_overall_stats', GAMES).rows.find(({ name }) => name === team);
  return codes.map((code) => cell(row, code));
}

test('sums up a team', () => {
  expect(cellsOf('A', 'mp', 'won', 'draw', 'lost', 'scheduled')).toEqual([3, 1, 1, 1, 0]);
  expect(cellsOf('A', 'won_pct', 'home_won_pct', 'away_won_pct', 'away_draw_pct')).toEqual([
    '33.33',
    '50.00',
    '0.00',
    '100.00',
  ]);
  expect(cellsOf('A', 'avg_goals_scored', 'avg_home_goals_scored', 'home_avg_goals_allowed')).toEqual([
    '1.00',
    '1.50',
    '1.00',
  ]);
  expect(
    cellsOf('A', 'won_second_half', 'home_wins_second_half', '2half_lost', 'home_draw_first_half'),
  ).toEqual([1, 1, 1, 2]);
  expect(cellsOf('A', 'over_2_5_goals', 'under_2_5_goals', 'over_0_5_goals_pct', 'over_3_5_goals')).toEqual([
    1,
    2,
    '66.67',
    1,
  ]);
  expect(cellsOf('B', 'scheduled', 'home_avg_goals_allowed', 'away_goals_allowed_second_half')).toEqual([
    1,
    '0.00',
    2,
  ]);
  expect(cellsOf('C', 'home_won_pct', 'avg_home_goals_scored', 'home_won')).toEqual(['', '', 0]);
});

test('sums up a group', () => {
  const [row, ...more] = table('overall_stats', GAMES).rows;
  expect(more).toEqual([]);
  const codes = ['mp', 'scheduled', 'home_won', 'home_lost', 'draw', 'away_won', 'home_won_first_half'];
  expect(codes.map((code) => cell(row, code))).toEqual([3, 1, 1, 1, 1, 1, 0]);
  const goals = [
    'goals_scored',
    'home_goals_scored',
    'away_goals_allowed',
    'away_goals_scored',
    '1half_goals_allowed',
  ];
  expect(goals.map((code) => cell(row, code))).toEqual([5, 3, 3, 2, 2]);
  const averages = [
    'avg_goals_scored',
    '1half_avg_goals_scored',
    '2half_avg_goals_scored',
    'home_avg_goals_allowed',
  ];
  expect(averages.map((code) => cell(row, code))).toEqual(['1.67', '0.67', '1.00', '0.67']);
});

test('counts how often each result occurred', () => {
  const more = [...GAMES, result(5, 'C 1-0 A'), result(6, 'B 0-0 C')];
  expect(lines(table('popular_results', more), 'amount', 'pct')).toEqual([
    '1 0:0 2 40.00',
    '2 0:1 1 20.00',
    '2 1:0 1 20.00',
    '2 3:1 1 20.00',
  ]);
});

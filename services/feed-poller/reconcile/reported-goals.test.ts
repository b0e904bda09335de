import { expect, test } from 'vitest';
import { reportedGoals } from './reported-goals.ts';

const participants = [93, 89].map((value, at) => ({ counter: at + 1, results: [{ id: 2, value }] }));

test('are the goals of both results in soccer, which an unknown sport counts as', () => {
  expect(
    [{ participants, sport_id: 5 }, { participants, sport_id: '5' }, { participants }].map(reportedGoals),
  ).toEqual([182, 182, 182]);
  expect(reportedGoals({ sport_id: 5 })).toBe(0);
});

test('are none in another sport, whose lists of incidents need no goal for a point', () => {
  expect([1, 2, 3, '4', 6].map((sport_id) => reportedGoals({ participants, sport_id }))).toEqual([
    0, 0, 0, 0, 0,
  ]);
});

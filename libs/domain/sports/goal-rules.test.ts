import { expect, test } from 'vitest';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { DECIDED, HAPPENED, hasRulesOfGoals, TYPES_OF } from './goal-rules.ts';

test('rules of goals apply to soccer, which an unknown sport counts as, and to no other sport', () => {
  expect([5, null, 1, 2, 3, 4, 6].filter(hasRulesOfGoals)).toEqual([5, null]);
});

test('rules of goals have types of soccer alone', () => {
  const all = Object.values(TYPES_OF).flat();
  expect(all.toSorted((a, b) => a - b)).toEqual([413, 418, 419, 421, 423, 423, 424, 427, 429]);
  const signals = [HAPPENED, DECIDED].flatMap((table) => Object.values(table).flat());
  expect([...all, ...signals].filter((type) => !INCIDENT_TYPES_OF_SOCCER.has(type))).toEqual([]);
});

import { expect, test } from 'vitest';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { isCancellation, isCard, isGoal, isRedCard, isTimelineStart } from '../goals.ts';
import { DECIDED, HAPPENED, hasRulesOfGoals } from './goal-rules.ts';

test('rules of goals apply to soccer, which an unknown sport counts as, and to no other sport', () => {
  expect([5, null, 1, 2, 3, 4, 6].filter(hasRulesOfGoals)).toEqual([5, null]);
});

test('rules of goals have types of soccer alone', () => {
  const signals = [HAPPENED, DECIDED].flatMap((table) => Object.values(table).flat());
  expect(signals.filter((type) => !INCIDENT_TYPES_OF_SOCCER.has(type))).toEqual([]);
  const types = [isGoal, isCancellation, isCard, isRedCard, isTimelineStart].map((isOf) =>
    INCIDENT_TYPES_OF_SOCCER.keys()
      .filter((incident_id) => isOf({ incident_id }))
      .toArray()
      .sort(),
  );
  expect(types).toEqual([[413, 421, 423], [424], [418, 419], [418], [427, 429]]);
});

import { describe, expect, test } from 'vitest';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { SOCCER } from '#soccer/soccer.ts';
import { GOAL_RULES, hasRulesOfGoals, typesOf } from './goal-rules.ts';

describe('the table of rules of goals', () => {
  test('has soccer, which an unknown sport counts as, and no other sport', () => {
    expect([...GOAL_RULES.keys()]).toEqual([SOCCER]);
    expect([5, null, 1, 2, 3, 4, 6].map(hasRulesOfGoals)).toEqual([
      true,
      true,
      ...Array.from({ length: 5 }, () => false),
    ]);
  });

  test('has types of its own sport alone', () => {
    const soccer = GOAL_RULES.get(SOCCER);
    const kinds = ['goals', 'own_goals', 'cancellations', 'red_cards', 'yellow_cards', 'starts'] as const;
    const all = kinds.flatMap((kind) => [...typesOf(kind)]);
    expect(all.toSorted((a, b) => a - b)).toEqual([413, 418, 419, 421, 423, 423, 424, 427, 429]);
    const signals = [soccer?.happened, soccer?.decided].flatMap((table) => Object.values(table ?? {}).flat());
    for (const type of [...all, ...signals])
      expect([type, INCIDENT_TYPES_OF_SOCCER.has(type) || soccer?.counts_for.has(type)]).toEqual([
        type,
        true,
      ]);
  });
});

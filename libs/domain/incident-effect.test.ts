import { describe, expect, test } from 'vitest';
import { concernsGoals, type KnownIncident } from './goal-facts.ts';
import { effectsOf } from './incident-effect.ts';
import { sidesOf } from './testing/goals.ts';
import { AWAY, type IncidentOptions, incident, participants } from './testing/messages.ts';

const { home, away } = sidesOf(participants());
const SIDES = { sportId: 5, home, away };

const known = (id: string, type: number, options: IncidentOptions = {}, removed = false) => ({
  id,
  incident: incident(id, type, options),
  removed,
  missing: false,
});
const SHOOT_OUT = { event_status_id: 141 };

describe('the effect of an incident on the score', () => {
  test.each<[why: string, is: readonly unknown[], one: KnownIncident, others?: readonly KnownIncident[]]>([
    ['a goal of home', [true, true, false, 'home'], known('5-1', 413)],
    ['a penalty of away', [true, true, false, 'away'], known('5-1', 421, { participant_id: AWAY })],
    ['an own goal of home', [true, true, false, 'away'], known('5-1', 423)],
    [
      'a goal that awaits confirmation',
      [true, true, false, 'home'],
      known('5-1', 413, { confirmation: 'tbd' }),
    ],
    ['a removed goal', [false, false, false, null], known('5-1', 413, {}, true)],
    ['a cancelled goal', [false, false, false, null], known('5-1', 413, { confirmation: 'cancelled' })],
    [
      'a goal named by a 424',
      [false, false, false, null],
      known('5-1', 413),
      [known('5-2', 424, { parent_id: '5-1' })],
    ],
    ['a kick of the shoot-out', [true, false, true, null], known('5-1', 413, SHOOT_OUT)],
    [
      'a kick that a 424 names',
      [false, false, true, null],
      known('5-1', 413, SHOOT_OUT),
      [known('5-2', 424, { ...SHOOT_OUT, parent_id: '5-1' })],
    ],
    [
      'a goal of a team of neither side',
      [true, false, false, null],
      known('5-1', 413, { participant_id: 999 }),
    ],
    ['a card', [true, false, false, null], known('5-1', 418)],
    ['a cancelled card', [false, false, false, null], known('5-1', 418, { confirmation: 'cancelled' })],
    ['a removed card', [false, false, false, null], known('5-1', 418, {}, true)],
    [
      'a delete of an incident that never arrived',
      [false, false, false, null],
      { id: '5-1', incident: null, removed: false, missing: false },
    ],
  ])('of %s is known', (_, is, one, others = []) => {
    // Records are not read in the order of ids.
    const { stands, counts, inShootOut, scored } = effectsOf([...others, one], SIDES)(one);
    expect([stands, counts, inShootOut, scored]).toEqual(is);
  });

  test.each([
    ['a side is unknown', { ...SIDES, away: null }, null],
    ['the other side is unknown', { ...SIDES, home: null }, null],
    ['the sport has no rules here', { ...SIDES, sportId: 1 }, null],
    ['the sport is unknown, which counts as soccer', { ...SIDES, sportId: null }, true],
  ])('of a goal alone is unknown when %s', (_, sides, counts) => {
    const goal = known('5-1', 413);
    const effect = effectsOf([goal], sides);
    expect(effect(goal)).toMatchObject({ stands: true, counts });
    expect(effect(known('5-2', 418))).toMatchObject({ stands: true, counts: false });
  });
});

test('a cancellation names the last goal before it, whatever the order of the records', () => {
  const [first, second, third] = [known('5-1', 413), known('5-3', 413), known('5-5', 413)];
  const cancelled = known('5-4', 424, { confirmation: 'confirmed' });
  const pending = known('5-0', 400);
  for (const order of [
    [third, cancelled, pending, second, first],
    [first, second, pending, cancelled, third],
  ])
    expect([first, second, third].map((goal) => effectsOf(order, SIDES)(goal).counts)).toEqual([
      true,
      false,
      true,
    ]);
});

test('goals and goal cancellations concern goals', () => {
  const types = [413, 421, 423, 424, 418, 420, 422].filter((type) => concernsGoals(incident('5-1', type)));
  expect(types).toEqual([413, 421, 423, 424]);
});

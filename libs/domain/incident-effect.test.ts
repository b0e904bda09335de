import { describe, expect, test } from 'vitest';
import { readSides } from './event-facts.ts';
import { concernsGoals, effectsOf } from './incident-effect.ts';
import { AWAY, type IncidentOptions, incident, participants } from './testing/messages.ts';

const { home, away } = readSides(participants());
const SIDES = { sportId: 5, home, away };

const known = (id: string, type: number, options: IncidentOptions = {}, removed = false) => ({
  id,
  incident: incident(id, type, options),
  removed,
});
const SHOOT_OUT = { event_status_id: 141 };

describe('the effect of an incident on the score', () => {
  test.each([
    { why: 'a goal of home', one: known('5-1', 413), is: [true, true, false, 'home'] },
    {
      why: 'a penalty of away',
      one: known('5-1', 421, { participant_id: AWAY }),
      is: [true, true, false, 'away'],
    },
    { why: 'an own goal of home', one: known('5-1', 423), is: [true, true, false, 'away'] },
    {
      why: 'a goal that awaits confirmation',
      one: known('5-1', 413, { confirmation: 'tbd' }),
      is: [true, true, false, 'home'],
    },
    { why: 'a removed goal', one: known('5-1', 413, {}, true), is: [false, false, false, null] },
    {
      why: 'a cancelled goal',
      one: known('5-1', 413, { confirmation: 'cancelled' }),
      is: [false, false, false, null],
    },
    {
      why: 'a goal named by a 424',
      one: known('5-1', 413),
      with: [known('5-2', 424, { parent_id: '5-1' })],
      is: [false, false, false, null],
    },
    { why: 'a kick of the shoot-out', one: known('5-1', 413, SHOOT_OUT), is: [true, false, true, null] },
    {
      why: 'a kick that a 424 names',
      one: known('5-1', 413, SHOOT_OUT),
      with: [known('5-2', 424, { ...SHOOT_OUT, parent_id: '5-1' })],
      is: [false, false, true, null],
    },
    {
      why: 'a goal of a team of neither side',
      one: known('5-1', 413, { participant_id: 999 }),
      is: [true, false, false, null],
    },
    { why: 'a card', one: known('5-1', 418), is: [true, false, false, null] },
    {
      why: 'a cancelled card',
      one: known('5-1', 418, { confirmation: 'cancelled' }),
      is: [false, false, false, null],
    },
    { why: 'a removed card', one: known('5-1', 418, {}, true), is: [false, false, false, null] },
    {
      why: 'a delete of an incident that never arrived',
      one: { id: '5-1', incident: null, removed: false },
      is: [false, false, false, null],
    },
  ])('of $why is known', ({ one, with: others = [], is }) => {
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

test('goals and goal cancellations concern goals', () => {
  const types = [413, 421, 423, 424, 418, 420, 422].filter((type) => concernsGoals(known('5-1', type)));
  expect(types).toEqual([413, 421, 423, 424]);
  expect(concernsGoals({ id: '5-1', incident: null, removed: false })).toBe(false);
});

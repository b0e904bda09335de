import { describe, expect, test } from 'vitest';
import type { Incident } from '#records/types.ts';
import { GUARD_REASONS, type GuardInputs, guardOf, sameGuard } from './guard.ts';
import { eventFields, eventMessage, incident, incidentMessage, START } from './testing/messages.ts';
import { given } from './testing/spec.ts';

/** The guard's reasons for a match in play with these incidents, in any order of ids, and these fields. */
function reasons(
  timeline: readonly Incident[],
  fields: Readonly<Record<string, unknown>> = {},
): readonly string[] {
  const { guard } = given(
    eventMessage(START, eventFields(fields)),
    ...timeline.map((one) => incidentMessage(one)),
  ).state;
  expect(guard.safe).toBe(guard.reasons.length === 0);
  return guard.reasons;
}

/** A timeline of these types, ids in that order. */
const timeline = (...types: readonly number[]) => types.map((type, i) => incident(`5-${100 + i}`, type));

describe('a possible incident is open until it is decided (law 9)', () => {
  const kinds = [
    {
      reason: 'possible_goal',
      possible: 1827,
      decided: [413, 421, 423, 424, 1833, 445, 446, 447, 448],
      not: [1830, 400, 418],
    },
    { reason: 'possible_card', possible: 1829, decided: [418, 419, 1830], not: [413, 445, 1831, 400] },
    {
      reason: 'possible_penalty',
      possible: 1832,
      decided: [420, 421, 422, 1831],
      not: [413, 445, 1830, 400],
    },
    { reason: 'possible_var', possible: 1834, decided: [2753], not: [413, 424, 445, 400] },
  ];
  const always = [429, 430, 431, 432, 433, 434, 435, 436, 437];

  test.each(
    kinds.flatMap(({ reason, possible, decided, not }) => [
      ...decided.concat(always).map((by) => ({ reason, possible, by, open: false })),
      ...not.map((by) => ({ reason, possible, by, open: true })),
    ]),
  )('$reason after $by: $open', ({ reason, possible, by, open }) => {
    expect(reasons(timeline(429, possible)).includes(reason)).toBe(true);
    expect(reasons(timeline(429, by, possible)).includes(reason)).toBe(true);
    expect(reasons(timeline(429, possible, by)).includes(reason)).toBe(open);
  });
});

describe('a game break (law 9)', () => {
  const breaks = [420, 434, 435, 436, 437, 438, 439, 440, 441, 442, 445, 446, 447, 448, 451, 1834, 2753];
  const play = [400, 403, 408, 409, 413, 416, 421, 422, 423, 425, 1833, 430];
  const beside = [415, 418, 419, 424, 427, 449, 450, 452, 1827, 1829, 1830, 1831, 1832, 99_999];

  test.each(breaks)('begins with %i', (type) => {
    expect(reasons(timeline(429, 400, type))).toContain('game_break');
  });

  test.each(play)('ends with %i, which shows play', (type) => {
    expect(reasons(timeline(429, 420, type))).not.toContain('game_break');
  });

  test.each(beside)('does not end with %i, which is outside play', (type) => {
    expect(reasons(timeline(429, 420, type))).toContain('game_break');
    expect(reasons(timeline(429, type))).not.toContain('game_break');
  });

  test.each(['finished', 'scheduled', 'interrupted', 'cancelled', 'deleted'])(
    'only while live, not %s',
    (status_type) => {
      expect(reasons(timeline(429, 445), { status_type })).not.toContain('game_break');
    },
  );
});

describe('the other reasons (law 9)', () => {
  test('are given in a fixed order', () => {
    const last = {
      possible_goal: 'b',
      possible_card: 'b',
      possible_penalty: 'b',
      possible_var: 'b',
      goal_decided: 'a',
      game_break: 'b',
      play: 'a',
    };
    const inputs: GuardInputs = {
      underReview: true,
      final: { score: null, source: 'incidents', agreement: 'differs' },
      statusId: 2,
      statusType: 'live',
      betStatus: 'suspended',
      verified: false,
      last,
      interruptedAt: null,
      statusAt: null,
      resultsAt: null,
      snapshotAt: null,
      missing: true,
      unreadAt: 1,
      unexplainedAt: 1,
      wentBack: true,
      absent: true,
    };
    expect(guardOf(inputs)).toEqual({ safe: false, reasons: Object.keys(GUARD_REASONS) });
  });

  test('compare as equal only as a whole', () => {
    const guard = (...some: string[]) => ({ safe: some.length === 0, reasons: some });
    expect(sameGuard(guard('a'), guard('a'))).toBe(true);
    expect(sameGuard(guard('a'), guard('b'))).toBe(false);
    expect(sameGuard(guard('a'), guard('a', 'b'))).toBe(false);
  });
});

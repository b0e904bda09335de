import { describe, expect, test } from 'vitest';
import type { Incident, NormalizedMessage } from '#records/types.ts';
import { GUARD_REASONS, GUARD_WORDS, type GuardInputs, guardOf } from './guard.ts';
import {
  eventFields,
  eventMessage,
  type IncidentOptions,
  incident,
  incidentMessage,
  participants,
  START,
  snapshotMessage,
} from './testing/messages.ts';
import { given } from './testing/spec.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The guard's reasons for a match in play with these incidents, in any order of ids, and these fields. */
function reasons(timeline: readonly Incident[], fields: Fields = {}): readonly string[] {
  const reported = eventMessage(START, eventFields(fields));
  const { guard } = given(reported, ...timeline.map((one) => incidentMessage(one))).state;
  expect(guard.safe).toBe(guard.reasons.length === 0);
  return guard.reasons;
}

/** A timeline of these types, ids in that order. */
const timeline = (...types: readonly number[]) => types.map((type, i) => incident(`5-${100 + i}`, type));
const last = (type: number, options: IncidentOptions) => incident('5-900', type, options);

describe('a possible incident is open until it is decided (law 9)', () => {
  const decisive = [413, 421, 423, 424, 1833, 445, 446, 447, 448];
  const kinds = [
    { reason: 'possible_goal', possible: 1827, decided: decisive, not: [1830, 400, 418] },
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

  test.each(kinds)(
    '$reason ends when its incident is cancelled, removed or changed, or the match is over',
    ({ reason, possible }) => {
      const incidents = timeline(429, possible);
      const opened = incidents.map((one) => incidentMessage(one));
      const later = { ut: START + 60 };
      const event = eventMessage(START, eventFields());
      const ends = [
        incidentMessage(incident('5-101', possible, { ...later, confirmation: 'cancelled' })),
        incidentMessage(incident('5-101', possible, later), { deleted: true }),
        incidentMessage(incident('5-101', 400, later)),
        snapshotMessage(START + 75, incidents.slice(0, 1)),
        eventMessage(START + 60, { status_type: 'finished' }),
      ];
      expect(given(event, ...opened).state.guard.reasons).toContain(reason);
      for (const end of ends)
        expect(given(event, ...opened).when(end).state.guard.reasons).not.toContain(reason);
      const missing = snapshotMessage(START + 74, incidents.slice(0, 1));
      expect(given(event, ...opened).when(missing).state.guard.reasons).toContain(reason);
    },
  );

  test('is decided by a cancelled decision, and open again once that is removed', () => {
    const known = timeline(429, 1827).map((one) => incidentMessage(one));
    const opened = [eventMessage(START, eventFields()), ...known];
    const rejected = incidentMessage(last(413, { confirmation: 'cancelled' }));
    const removed = incidentMessage(last(413, { ut: START + 60 }), { deleted: true });
    expect(given(...opened).when(rejected).state.guard.reasons).toEqual([]);
    expect(given(...opened, rejected).when(removed).state.guard.reasons).toEqual(['possible_goal']);
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

  test('neither begins nor ends with a cancelled incident', () => {
    expect(reasons([...timeline(429, 400), last(420, { confirmation: 'cancelled' })])).toEqual([]);
    const beside = last(400, { confirmation: 'cancelled' });
    expect(reasons([...timeline(429, 420), beside])).toEqual(['game_break']);
  });

  test.each(['finished', 'scheduled', 'interrupted', 'cancelled', 'deleted'])(
    'only while live, not %s',
    (status_type) => {
      expect(reasons(timeline(429, 445), { status_type })).not.toContain('game_break');
    },
  );

  test('is known by the status if its type is not reported', () => {
    const reasonsOf = (status_id: number | null) =>
      reasons(timeline(429, 445), { status_type: null, status_id });
    expect(reasonsOf(9)).toContain('game_break');
    expect(reasonsOf(11)).not.toContain('game_break');
    expect(reasonsOf(null)).not.toContain('game_break');
  });
});

describe('an interruption (law 9)', () => {
  const interrupted = (type: number) => [
    eventMessage(START, eventFields()),
    incidentMessage(incident('5-100', 429)),
    incidentMessage(incident('5-110', type, { ut: START + 10 })),
  ];
  const live = (seconds: number, fields = {}) =>
    eventMessage(START + seconds, { status_id: 33, status_type: 'live', ...fields });
  const of = (id: string, type: number, options: IncidentOptions = {}) =>
    incidentMessage(incident(id, type, { ut: START + 20, ...options }));

  describe.each([441, 442])('by %i', (type) => {
    test.each<[ends: boolean, why: string, NormalizedMessage]>([
      [true, 'the event is reported live later', live(11)],
      [true, 'the next phase is reported', live(11, { status_id: 34 })],
      [false, 'the event is reported live in the same second', live(10)],
      [false, 'another field of the event is reported', eventMessage(START + 11, { clock_time: 700 })],
      [false, 'it is reported as not started', live(11, { status_id: 1, status_type: 'scheduled' })],
      [true, 'a kick-off follows', of('5-120', 1833)],
      [true, 'play follows', of('5-120', 400)],
      [true, 'the second half follows', of('5-120', 430)],
      [true, 'another status follows', of('5-120', 445)],
      [false, 'a card follows', of('5-120', 418)],
      [false, 'a cancelled kick-off follows', of('5-120', 1833, { confirmation: 'cancelled' })],
      [false, 'play is before it', of('5-105', 400)],
      [true, 'it was cancelled', of('5-110', type, { confirmation: 'cancelled' })],
      [false, 'it is corrected later', of('5-110', type)],
    ])('ends: %s, as %s', (ends, _, message) => {
      const { state } = given(...interrupted(type)).when(message);
      expect(state.guard.reasons.includes('interrupted')).toBe(!ends);
    });

    test('holds again after a later one', () => {
      const again = of('5-130', type, { ut: START + 30 });
      expect(given(...interrupted(type), live(11)).when(again).state.guard.reasons).toContain('interrupted');
    });
  });

  test.each([
    [2, 'interrupted'],
    [2, 'live'],
    [7, 'finished'],
    [7, 'live'],
    [33, 'interrupted'],
  ])('holds by status %i of type %s, whatever is reported or played', (status_id, status_type) => {
    const reported = live(60, { status_id, status_type });
    const { guard } = given(...interrupted(441), of('5-120', 400), reported).state;
    expect(guard.reasons).toContain('interrupted');
  });
});

const differs = (fields: object) =>
  reasons(timeline(429), { participants: participants(1, 0), ...fields }).includes('score_differs');
test.each<[differs: boolean, fields: object]>([
  [true, {}],
  [true, { verified_result: 'yes' }],
  [true, { status_id: 11, status_type: 'finished' }],
  [true, { status_id: 11, status_type: 'finished', verified_result: 'no' }],
  [true, { status_id: 11, status_type: 'finished', verified_result: 0 }],
  ...['yes', 'YES', true, 1, '1'].map((verified_result): [boolean, object] => [
    false,
    { status_id: 11, status_type: 'finished', verified_result },
  ]),
  [false, { status_id: 12, status_type: 'live', verified_result: 'yes' }],
  [false, { status_id: 11, status_type: 'finished', participants: participants(0, 0) }],
])(
  'a result that differs (law 9) flags the match until they agree or the result is verified: %s with %j',
  (expected, fields) => {
    expect(differs(fields)).toBe(expected);
  },
);

describe('the other reasons (law 9)', () => {
  test.each<[reason: string, when: string, incidents: readonly Incident[], fields: Fields]>([
    ['under_review', 'a goal awaits confirmation', [last(413, { confirmation: 'tbd' })], {}],
    ['bet_suspended', 'betting is suspended', timeline(429), { bet_status: 'suspended' }],
    ['interrupted', 'the status type is interrupted', [], { status_type: 'interrupted' }],
    ['interrupted', 'the last status incident is 441', timeline(429, 441, 418), { status_type: 'scheduled' }],
    ['interrupted', 'the last status incident is 442', timeline(429, 442), { status_type: 'finished' }],
  ])('%s when %s', (reason, _, incidents, fields) => {
    expect(reasons(incidents, fields)).toEqual([reason]);
  });

  test.each<[why: string, incidents: readonly Incident[], fields: Fields]>([
    ['nothing happens', timeline(429, 400), {}],
    ['nothing is known', [], { status_id: null, status_type: null, bet_status: null }],
    ['betting on a finished match is suspended', [], { bet_status: 'suspended', status_type: 'finished' }],
    ['only the provider knows the score', [], { participants: participants(1, 0) }],
  ])('none when %s', (_, incidents, fields) => {
    expect(reasons(incidents, fields)).toEqual([]);
  });

  test('are given in a fixed order', () => {
    const possible = { possible_goal: 'b', possible_card: 'b', possible_penalty: 'b', possible_var: 'b' };
    const last = { ...possible, goal_decided: 'a', game_break: 'b', play: 'a' };
    const inputs: GuardInputs = {
      facts: { status_id: 2, status_type: 'live', bet_status: 'suspended', verified_result: false },
      tally: { underReview: true, missing: true, unexplainedAt: 1 },
      final: { score: null, source: 'incidents', agreement: 'differs' },
      last,
      interruptedAt: null,
      statusAt: null,
      resultsAt: null,
      snapshotAt: null,
      unreadAt: 1,
      wentBack: true,
      absent: true,
    };
    expect(guardOf(inputs)).toEqual({ safe: false, reasons: Object.keys(GUARD_REASONS) });
  });

  test('has words for each, as a part of a sentence', () => {
    const words = Object.values(GUARD_WORDS);
    expect(Object.keys(GUARD_WORDS)).toEqual(Object.keys(GUARD_REASONS));
    expect(new Set(words).size).toBe(words.length);
    for (const text of words) expect(text).toMatch(/^[a-z][^.!]{8,50}$/);
  });
});

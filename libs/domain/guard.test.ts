import { describe, expect, test } from 'vitest';
import type { Incident, NormalizedMessage } from '#records/types.ts';
import { GUARD_REASONS, GUARD_WORDS, type GuardInputs, guardOf } from './guard.ts';
import {
  absenceMessage,
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

const opening = eventMessage(START, eventFields());
const first = incident('5-100', 429);
const kickOff = incidentMessage(first);
const result = (at: number, home: number) =>
  eventMessage(START + at, { participants: participants(home, 0) });

describe('a message that could not be read (law 9)', () => {
  const unread = { ...eventMessage(START + 100, {}), unreadable: 'no id' };
  const list = (at: number, ...incidents: Incident[]) => snapshotMessage(START + at, incidents);

  test.each<[ends: boolean, why: string, NormalizedMessage]>([
    [true, 'a list of its second', list(100, first)],
    [true, 'a later list', list(101, first)],
    [false, 'a list before it', list(99, first)],
    [false, 'a later list without any incident', list(101)],
    [true, 'a later result that agrees', result(101, 0)],
    [false, 'a result of its second', result(100, 0)],
    [false, 'a result before it', result(99, 0)],
    [false, 'a later result that differs', result(101, 1)],
    [false, 'a later incident', incidentMessage(incident('5-101', 400, { ut: START + 101 }))],
    [false, 'a later message without results', eventMessage(START + 101, { participants: participants() })],
  ])('closes the guard until a list or an agreeing result: %s, by %s', (ends, _, message) => {
    for (const history of [
      [opening, kickOff, unread, message],
      [message, unread, opening, kickOff],
    ])
      expect(given(...history).state.guard.reasons.includes('unread_message')).toBe(!ends);
  });

  test('ends with a later result that is the score, and holds again after the next one', () => {
    const known = given(opening, unread, result(101, 3));
    expect(known.state).toMatchObject({ source: 'reported', guard: { safe: true } });
    const next = { ...unread, ut: START + 102 };
    expect(given(opening, unread, result(101, 3)).when(next).state.guard.reasons).toEqual(['unread_message']);
  });

  test('ends with the result of the finished match, also where the incidents differ from it', () => {
    const end = { status_id: 11, status_type: 'finished', participants: participants(2, 0) };
    const { state } = given(opening, kickOff, unread, eventMessage(START + 101, end));
    expect(state).toMatchObject({ source: 'reported', agreement: 'differs' });
    expect(state.guard.reasons).toEqual(['score_differs']);
  });

  test('is told once, with its reason; fields that could not be read do not close the guard', () => {
    const outcome = given(opening, kickOff).when(unread);
    expect(outcome.transitions).toMatchObject([
      { kind: 'message_unread', value: { before: null, after: 'no id' }, fields: [] },
      { kind: 'guard_changed', match: { guard: { safe: false, reasons: ['unread_message'] } } },
    ]);
    const partly = { ...eventMessage(START + 100, { name: 'B - A' }), unread: ['event.stage_id'] };
    const fields = given(opening, kickOff).when(partly);
    expect(fields.transitions).toMatchObject([
      { kind: 'message_unread', value: null, fields: ['event.stage_id'] },
      { kind: 'event_amended', fields: ['name'] },
    ]);
    expect(fields.state).toMatchObject({
      unread: [{ path: 'event.stage_id', ut: START + 100 }],
      unread_at: null,
      guard: { safe: true },
    });
    const again = given(opening, kickOff, partly).when({ ...partly, ut: START + 101 });
    expect(again.kinds).toEqual(['event_amended']);
  });
});

describe('a cancellation that names no goal (law 9)', () => {
  const orphan = (options: IncidentOptions = {}) =>
    incidentMessage(incident('5-110', 424, { ut: START + 100, ...options }));
  const goal = incidentMessage(incident('5-105', 413, { ut: START + 99 }));

  test.each<[ends: boolean, why: string, NormalizedMessage]>([
    [true, 'a later result that agrees', result(101, 0)],
    [false, 'a result of its second', result(100, 0)],
    [false, 'a result before it', result(99, 0)],
    [false, 'a later result that differs', result(101, 1)],
    [true, 'the goal that it names', goal],
    [true, 'its cancellation', orphan({ ut: START + 101, confirmation: 'cancelled' })],
    [true, 'a later record that awaits confirmation', orphan({ ut: START + 101, confirmation: 'tbd' })],
    [true, 'a list without it', snapshotMessage(START + 175, [first])],
    [false, 'a list that lacks it lately', snapshotMessage(START + 174, [first])],
  ])('closes the guard until it is explained: %s, by %s', (ends, _, message) => {
    for (const history of [
      [opening, kickOff, orphan(), message],
      [message, orphan(), kickOff, opening],
    ])
      expect(given(...history).state.guard.reasons.includes('unexplained_cancellation')).toBe(!ends);
  });

  test.each<[closes: boolean, why: string, goal: IncidentOptions, cancels?: IncidentOptions]>([
    [true, 'the goal confirmed after it', { ut: START + 150 }],
    [true, 'the goal confirmed later in its second', { ut: START + 100, message_id: 10 }, { message_id: 9 }],
    [false, 'the goal confirmed before it', { ut: START + 99 }],
    [false, 'the goal confirmed in its second', { ut: START + 100 }],
    [false, 'the goal reported after it, to be confirmed', { ut: START + 150, confirmation: 'tbd' }],
    [false, 'the goal cancelled after it', { ut: START + 150, confirmation: 'cancelled' }],
  ])('closes the guard: %s, with %s', (closes, _, options, cancels = {}) => {
    const again = incidentMessage(incident('5-105', 413, options));
    const known = given(opening, kickOff, orphan(cancels), again);
    expect(known.state).toMatchObject({ score: { home: 0, away: 0 }, orphans: [] });
    expect(known.state.guard.reasons).toEqual(closes ? ['unexplained_cancellation'] : []);
    expect(known.when(result(151, 0)).state.guard.reasons).toEqual([]);
  });

  test('does not close it while it awaits confirmation', () => {
    expect(given(opening, kickOff, orphan({ confirmation: 'tbd' })).state.guard.safe).toBe(true);
  });

  test('ends with a later result that is the score', () => {
    expect(given(opening, orphan(), result(101, 2)).state.guard).toEqual({ safe: true, reasons: [] });
  });
});

describe('what the latest list omits (law 9)', () => {
  const goal = incident('5-110', 413);
  const cancels = incident('5-120', 424, { parent_id: '5-110' });
  const lags = (...incidents: Incident[]) => snapshotMessage(START + 60, incidents);
  test.each<[string, Incident[], listed: Incident[], reasons: string[]]>([
    ['a goal', [first, goal], [first], ['under_review', 'missing_from_list']],
    ['what cancelled a goal', [first, goal, cancels], [first, goal], ['missing_from_list']],
    ['a goal and what cancelled it', [first, goal, cancels], [first], ['missing_from_list']],
    ['a card', [first, incident('5-115', 418)], [first], []],
    ['nothing', [first, goal], [first, goal], []],
  ])('%s', (_, known, listed, expected) => {
    const { guard } = given(opening, ...known.map((one) => incidentMessage(one)), lags(...listed)).state;
    expect(guard.reasons).toEqual(expected);
  });
});

const live = (fields: Record<string, unknown>) => eventMessage(START, eventFields(fields));
const award = { status_id: 12, status_type: 'finished' };
test.each<[string, NormalizedMessage[], reasons: string[]]>([
  ['nothing is known of it', [opening], ['score_unknown']],
  ['a side is not known', [live({ participants: participants().slice(1) }), kickOff], ['score_unknown']],
  ['it is of another sport', [live({ sport_id: 1 })], ['score_unknown']],
  ['it is reported', [live({ participants: participants(0, 0) })], []],
  ['it has begun', [opening, kickOff], []],
  ...['scheduled', 'finished', 'cancelled'].map((status_type): [string, NormalizedMessage[], string[]] => [
    `it is ${status_type}`,
    [live({ status_id: null, status_type })],
    [],
  ]),
  [
    'it was played and is awarded, its result unknown',
    [
      incidentMessage(incident('5-100', 429), { fields: eventFields() }),
      incidentMessage(incident('5-110', 413)),
      eventMessage(START + 60, { ...award, participants: participants('', 3) }),
    ],
    ['score_unknown'],
  ],
  ['it is awarded, and its result known', [live({ ...award, participants: participants(0, 3) })], []],
])('a live or awarded match whose score is unknown (law 9) is not safe: %s', (_, messages, expected) => {
  expect(given(...messages).state.guard.reasons).toEqual(expected);
});

describe('an event that the provider no longer has (law 2)', () => {
  const order = { at: START * 1000, user: 'alice', host: 'ops', reason: 'never played' };
  const opening = eventMessage(START, eventFields({ participants: participants(1, 0) }));
  const gone = (at: number) => absenceMessage(START + at);
  const ended = (at: number) => absenceMessage(START + at, { confirmed: true, order });
  const status = (at: number) => eventMessage(START + at, { status_id: 34, status_type: 'live' });

  const known = (at: number) => absenceMessage(START + at, { confirmed: true });
  test.each<[why: string, messages: NormalizedMessage[], standing: object]>([
    ['deleted and missing', [known(10), gone(10)], { confirmed: true, order: null }],
    ['ended by an operator, and deleted', [known(10), ended(10)], { confirmed: true, order }],
  ])('is %s in one second, in any order', (_, messages, absence) => {
    for (const history of [messages, messages.toReversed()])
      expect(given(opening, ...history).state).toMatchObject({ status_type: 'deleted', absence });
  });

  test('is told with its reason, and that it is back', () => {
    const told = (...history: readonly [...NormalizedMessage[], NormalizedMessage]) =>
      given(opening, ...history.slice(0, -1))
        .when(history.at(-1) as NormalizedMessage)
        .transitions.map(({ kind, value, match }) => {
          return `${kind} ${value?.after ?? (kind === 'guard_changed' ? match.guard.safe : null)}`;
        });
    expect(told(gone(10))).toEqual(['absence_changed missing', 'guard_changed false']);
    expect(told(gone(10), ended(20))).toEqual([
      'status_changed 33 deleted',
      'absence_changed ended by alice on ops: never played',
      'event_amended null',
    ]);
    const back = ['status_changed 34 live', 'absence_changed null', 'guard_changed true'];
    expect(told(ended(20), status(21))).toEqual(back);
  });
});

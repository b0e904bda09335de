/** The doubts that close the guard, and the evidence that ends each. */
import { describe, expect, test } from 'vitest';
import type { Incident, NormalizedMessage } from '#records/types.ts';
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

import { describe, expect, test } from 'vitest';
import type { NormalizedMessage } from '#records/types.ts';
import {
  hasGoneBack,
  isOlder,
  readClock,
  readEventFacts,
  readStatusType,
  resultsReportedAt,
  statusNameOf,
  statusReport,
} from './event-facts.ts';
import { EventRegister } from './event-register.ts';
import {
  eventFields,
  eventMessage,
  eventOf,
  type IncidentOptions,
  incident,
  incidentMessage,
  participants,
  START,
} from './testing/messages.ts';
import { given } from './testing/spec.ts';

/** A message: its time, id and fields. */
type Reported = readonly [ut: number, id: number | null, fields: object];

function registerOf(...messages: readonly Reported[]) {
  const register = new EventRegister();
  for (const [ut, message_id, fields] of messages) register.apply(eventOf({ ...fields }), { ut, message_id });
  return register;
}

const live = { status_id: 33, status_type: 'live', item_status: 'active' };
const [gone, deleted] = [{ action: 'delete' }, { item_status: 'deleted' }];

test.each<[why: string, type: string | null, first: object, later?: object]>([
  ['as reported', 'live', live],
  ['that of the status if none is reported', 'finished', { status_id: 11 }],
  ['unknown of an unknown status', null, { status_id: 99_999 }],
  ['deleted by its own value', 'deleted', { ...live, status_type: 'deleted' }],
  ['deleted by the item status', 'deleted', { ...live, ...deleted }],
  ['deleted by a message', 'deleted', live, gone],
  ['deleted by a message of the same time', 'deleted', { ...live, ...gone }],
  ['restored by a later item status', 'live', deleted, live],
  ['restored by a later status', 'live', gone, live],
])('the status type: %s: %s', (_, type, first, later = {}) => {
  const messages = [[1, null, first] as const, [2, null, later] as const];
  expect(readStatusType(registerOf(...messages))).toBe(type);
  expect(readStatusType(registerOf(...messages.toReversed()))).toBe(type);
});

test.each<[clock: object | null, fields: object]>([
  [null, {}],
  [null, { clock_time: null, clock_status: null }],
  [{ time: 60, status: null, ut: 1 }, { clock_time: 60 }],
  [{ time: null, status: 'stopped', ut: 1 }, { clock_status: 'stopped' }],
  [
    { time: 0, status: 'running', ut: 1 },
    { clock_time: 0, clock_status: 'running' },
  ],
])('the clock is %j of %j', (clock, fields) => {
  expect(readClock(registerOf([1, null, fields]))).toEqual(clock);
});

describe('the facts that a message leaves as they are', () => {
  const details = (half: number) => [{ id: 16, value: half }];
  const first = { participants: participants(1, 0), details: details(40) };
  const later = (fields: object) => {
    const register = registerOf([1, null, first]);
    const facts = readEventFacts(register);
    register.apply(eventOf({ ...fields }), { ut: 2, message_id: null });
    return { facts, now: readEventFacts(register, facts) };
  };

  test('are kept', () => {
    const { facts, now } = later({ name: 'A' });
    expect(now.sides).toBe(facts.sides);
    expect(now.lengths).toEqual({ half: 40, extra_half: 15 });
  });

  test('are read again where their fields have another value', () => {
    expect(later({ participants: participants(2, 0) }).now.sides.reported).toEqual({ home: 2, away: 0 });
    expect(later({ details: details(35) }).now.lengths).toEqual({ half: 35, extra_half: 15 });
    expect(later({ sport_id: 1 }).now.lengths).toBe('unknown');
    expect(readEventFacts(registerOf([1, null, {}])).lengths).toEqual({ half: 45, extra_half: 15 });
  });
});

test.each<[why: string, position: object | null, first: Reported, later?: Reported]>([
  ['none', null, [1, null, { name: 'A' }]],
  ['of the status', { ut: 1, message_id: null }, [1, null, { status_id: 33 }]],
  ['of its type', { ut: 1, message_id: 7 }, [1, 7, { status_type: 'live' }]],
  ['the later of both', { ut: 2, message_id: 7 }, [2, 7, { status_type: 'live' }], [1, 8, { status_id: 33 }]],
  ['the later, by id', { ut: 1, message_id: 8 }, [1, 7, { status_type: 'live' }], [1, 8, { status_id: 33 }]],
])('the report of the status: %s', (_, position, first, later = first) => {
  const report = statusReport(registerOf(first, later));
  expect(report === null ? null : { ut: report.ut, message_id: report.message_id }).toEqual(position);
});

describe('a match that goes back to not started (law 2)', () => {
  const reported =
    (status_id: number, status_type?: string, more: object = {}) =>
    (ut: number, id: number | null = null): Reported => [ut, id, { status_id, status_type, ...more }];
  const over = reported(11, 'finished');
  const before = reported(1, 'scheduled');
  const postponed = reported(5, 'scheduled');
  const live = reported(33, 'live');
  const deleted = reported(1, 'scheduled', { item_status: 'deleted' });
  test.each<[back: boolean, why: string, messages: readonly Reported[]]>([
    [true, 'a later report', [over(1), before(2)]],
    [true, 'of a postponed match', [over(1), postponed(2)]],
    [true, 'of a status without its type', [reported(11)(1), reported(5)(2)]],
    [true, 'a later message of the second', [over(1, 7), before(1, 8)]],
    [true, 'though the end was reported again between', [over(1), over(2), before(3)]],
    [true, 'though a status was reported between', [over(1), live(2), before(3)]],
    [false, 'an earlier report', [over(2), before(1)]],
    [false, 'an earlier message of the second', [over(1, 8), before(1, 7)]],
    [false, 'a second without ids, where the end is further', [over(1), before(1)]],
    [false, 'finished again', [over(1), before(2), over(3)]],
    [false, 'live, not scheduled', [over(1), live(2)]],
    [false, 'never finished', [before(2)]],
    [false, 'deleted', [over(1), deleted(2)]],
    [
      false,
      'finished by its status alone',
      [
        [1, null, { status_type: 'scheduled' }],
        [2, null, { status_id: 11 }],
      ],
    ],
  ])('%s: %s', (back, _, messages) => {
    for (const order of [messages, messages.toReversed()]) {
      const register = registerOf(...order);
      expect(hasGoneBack(register, { status_type: readStatusType(register) })).toBe(back);
    }
    const match = given(
      ...messages.map(([ut, id, fields]) => ({
        ...eventMessage(START + ut, { ...fields }),
        message_id: id === null ? 'other' : String(id),
      })),
    ).state;
    expect(match.anomalies).toEqual(back ? ['status_went_back'] : []);
    expect(match.guard.reasons.includes('status_went_back')).toBe(back);
  });
});

describe('a match that begins anew (law 9)', () => {
  const live = { status_id: 33, status_type: 'live' };
  const off = { status_id: 5, status_type: 'scheduled' };
  const message = (id: string, ut: number, fields: object) => ({
    ...eventMessage(START + ut, { ...eventFields(), ...fields }),
    message_id: id,
  });
  const goal = (ut: number, options: IncidentOptions = {}) =>
    incidentMessage(incident('5-110', 413, { ut: START + ut, ...options }));
  const [begin, postponed, again] = [message('1', 0, live), message('9', 60, off), message('10', 900, live)];
  const abandoned = message('2', 30, { status_id: 7, status_type: 'cancelled' });
  const removed = incidentMessage(incident('5-110', 413, { ut: START + 21 }), { deleted: true });
  const begun = incidentMessage(incident('5-100', 429));
  const end = (fields: object = {}) =>
    message('11', 990, { status_id: 11, status_type: 'finished', ...fields });

  test.each<[back: boolean, why: string, readonly NormalizedMessage[]]>([
    [true, 'abandoned, postponed, and played again', [begin, goal(20), abandoned, postponed, again]],
    [true, 'postponed while in play, and played again', [begin, goal(20), postponed, again]],
    [true, 'not played again yet', [begin, goal(20), postponed]],
    [true, 'its goal awaits confirmation', [begin, goal(20, { confirmation: 'tbd' }), postponed, again]],
    [true, 'a goal of its second, by an earlier one', [begin, goal(60, { message_id: 8 }), postponed, again]],
    [false, 'a goal of its second, by a later one', [begin, goal(60, { message_id: 10 }), postponed, again]],
    [false, 'a goal of its second, by a list', [begin, goal(60), postponed, again]],
    [false, 'a goal of its second, both without an id', [begin, goal(60), message('a', 60, off), again]],
    [false, 'in play in that second', [goal(20), message('a', 60, live), message('b', 60, off)]],
    [false, 'its goal was removed', [begin, goal(20), postponed, again, removed]],
    [false, 'its goal was disallowed', [begin, goal(20, { confirmation: 'cancelled' }), postponed, again]],
    [false, 'without a goal from before', [begin, postponed, again, goal(910)]],
    [false, 'never in play before', [message('1', 0, off), goal(20), postponed, again]],
    [false, 'in play alone', [begin, goal(20), again]],
    [true, 'finished without a result', [begin, begun, goal(20), postponed, again, end()]],
    [
      false,
      'finished, its result the score',
      [begin, begun, goal(20), postponed, again, end({ participants: participants(0, 1) })],
    ],
  ])('%s: %s', (back, _, messages) => {
    for (const order of [messages, messages.toReversed()]) {
      const { anomalies, guard } = given(...order).state;
      expect(anomalies).toEqual(back ? ['status_went_back'] : []);
      expect(guard.reasons.includes('status_went_back')).toBe(back);
    }
  });
});

test('the results of both sides were reported when the older of both was', () => {
  const results = (counter: number) => ({ participants: [{ counter, results: [{ id: 2, value: 1 }] }] });
  expect(resultsReportedAt(registerOf([1, null, { name: 'A' }]))).toBeNull();
  expect(resultsReportedAt(registerOf([1, null, results(1)]))).toBeNull();
  expect(resultsReportedAt(registerOf([1, null, results(2)]))).toBeNull();
  expect(resultsReportedAt(registerOf([3, null, results(1)], [2, null, results(2)]))).toBe(2);
  expect(resultsReportedAt(registerOf([3, null, results(1)], [4, null, results(2)]))).toBe(3);
  const third = registerOf([3, null, results(1)], [1, null, results(3)], [4, null, results(2)]);
  expect(resultsReportedAt(third)).toBe(3);
});

const report = (ut: number, fields: Readonly<Record<string, unknown>>) => ({
  ut,
  message_id: null,
  event: eventOf(fields),
});
const result = (value: number) => [{ id: 2, value }];
const side = (counter: number, id: unknown, score?: number) => ({
  counter,
  id,
  ...(score !== undefined && { results: result(score) }),
});

test('an event has the latest value of each field with its time', () => {
  const event = EventRegister.restore([
    report(1, { name: 'A', status_id: 33 }),
    report(2, { status_id: 34, clock_time: null }),
  ]);
  expect([event.value('name'), event.value('status_id'), event.value('clock_time')]).toEqual(['A', 34, null]);
  expect(event.reportedAt('name')).toBe(1);
  expect(isOlder(event, 'name', 'status_id')).toBe(true);
  expect(isOlder(event, 'status_id', 'name')).toBe(false);
  expect(isOlder(event, 'played_time', 'status_id')).toBe(false);
});

test('an event has the name of a status that was reported with it', () => {
  const named = report(1, { status_id: 33, status_name: 'First' });
  expect(statusNameOf(EventRegister.restore([named]))).toBe('First');
  expect(statusNameOf(EventRegister.restore([named, report(2, { status_id: 34 })]))).toBeNull();
});

/** The sides of `messages` as text: counter, id and score of each. */
test.each<[why: string, sides: string, ...messages: readonly (readonly object[])[]]>([
  ['none', ''],
  ['in the order of counters', '1 1 -, 2 2 -, 10 3 -', [{ counter: 10, id: 3 }], [side(2, 2), side(1, 1)]],
  ['each with the results reported later', '1 1 2', [side(1, 1, 1)], [{ counter: 1, results: result(2) }]],
  ['each with the results reported before', '1 1 1', [{ counter: 1, results: result(1) }], [side(1, 1)]],
  [
    'each with the results of its team, on whatever side it was',
    '1 2 2, 2 1 1',
    [side(1, 1, 1), side(2, '2', 2)],
    [side(1, 2), side(2, 1)],
  ],
  ['not of results alone', '', [{ counter: '2', results: result(1) }]],
])('joins the sides of messages: %s', (_, sides, ...messages) => {
  const event = EventRegister.restore(messages.map((participants, at) => report(at, { participants })));
  const joined = event
    .sides()
    .map(({ counter, id, results }) => `${counter} ${id} ${results[0]?.value ?? '-'}`);
  expect(joined.join(', ')).toBe(sides);
  expect(event.reportedAt('participants')).toBe(messages.length === 0 ? undefined : messages.length - 1);
});

import { describe, expect, test } from 'vitest';
import { readClock, readEventFacts, resultsReportedAt, statusReport } from './event-facts.ts';
import { EventRegister } from './event-register.ts';
import { eventOf, participants } from './testing/messages.ts';

/** A message: its time, id and fields. */
type Reported = readonly [ut: number, id: number | null, fields: object];

function registerOf(...messages: readonly Reported[]) {
  const register = new EventRegister();
  for (const [ut, messageId, fields] of messages) register.apply(eventOf({ ...fields }), { ut, messageId });
  return register;
}

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
    register.apply(eventOf({ ...fields }), { ut: 2, messageId: null });
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
  ['of the status', { ut: 1, messageId: null }, [1, null, { status_id: 33 }]],
  ['of its type', { ut: 1, messageId: 7 }, [1, 7, { status_type: 'live' }]],
  ['the later of both', { ut: 2, messageId: 7 }, [2, 7, { status_type: 'live' }], [1, 8, { status_id: 33 }]],
  [
    'the later of both, by id',
    { ut: 1, messageId: 8 },
    [1, 7, { status_type: 'live' }],
    [1, 8, { status_id: 33 }],
  ],
])('the report of the status: %s', (_, position, first, later = first) => {
  const report = statusReport(registerOf(first, later));
  expect(report === null ? null : { ut: report.ut, messageId: report.messageId }).toEqual(position);
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

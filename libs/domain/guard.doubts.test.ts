/** The doubts that close the guard, and the evidence that ends each. */
import { describe, expect, test } from 'vitest';
import type { NormalizedMessage } from '#records/types.ts';
import {
  absenceMessage,
  eventFields,
  eventMessage,
  incident,
  incidentMessage,
  participants,
  START,
} from './testing/messages.ts';
import { given } from './testing/spec.ts';

describe('a message that could not be read (law 9)', () => {
  const opening = eventMessage(START, eventFields());
  const kickOff = incidentMessage(incident('5-100', 429));
  const unread = { ...eventMessage(START + 100, {}), unreadable: 'no id' };

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
    expect(given(opening, kickOff, partly).when({ ...partly, ut: START + 101 }).kinds).toEqual([
      'event_amended',
    ]);
  });
});

describe('an event that the provider no longer has (law 2)', () => {
  const order = { at: START * 1000, user: 'alice', host: 'ops', reason: 'never played' };
  const opening = eventMessage(START, eventFields({ participants: participants(1, 0) }));
  const gone = (at: number) => absenceMessage(START + at);
  const ended = (at: number) => absenceMessage(START + at, { confirmed: true, order });
  const status = (at: number) => eventMessage(START + at, { status_id: 34, status_type: 'live' });

  test('is told with its reason, and that it is back', () => {
    const told = (...history: readonly [...NormalizedMessage[], NormalizedMessage]) =>
      given(opening, ...history.slice(0, -1))
        .when(history.at(-1) as NormalizedMessage)
        .transitions.map(({ kind, value, match }) => [
          kind,
          value?.after ?? (kind === 'guard_changed' ? match.guard.safe : null),
        ]);
    expect(told(gone(10))).toEqual([
      ['absence_changed', 'missing'],
      ['guard_changed', false],
    ]);
    expect(told(gone(10), ended(20))).toEqual([
      ['status_changed', '33 deleted'],
      ['absence_changed', 'ended by alice on ops: never played'],
      ['event_amended', null],
    ]);
    expect(told(ended(20), status(21))).toEqual([
      ['status_changed', '34 live'],
      ['absence_changed', null],
      ['guard_changed', true],
    ]);
  });
});

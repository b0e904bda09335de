import { describe, expect, test } from 'vitest';
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

const opening = eventMessage(START, eventFields());
const kickOff = incidentMessage(incident('5-100', 429));
const later = (seconds: number) => ({ ut: START + seconds });

describe('the transitions of the event (law 10)', () => {
  const when = (fields: Record<string, unknown>, seconds = 60) =>
    given(opening, kickOff).when(eventMessage(START + seconds, { clock_time: seconds, ...fields }))
      .transitions;
  const value = (before: string | null, after: string | null) => ({ before, after });

  test('its status', () => {
    expect(when({ status_id: 9 })).toMatchObject([
      { kind: 'status_changed', value: value('33 live', '9 live') },
    ]);
    expect(when({ status_id: null, status_type: 'finished' })).toMatchObject([
      { kind: 'status_changed', value: value('33 live', '33 finished') },
    ]);
    const { transitions } = given().when(eventMessage(START, { status_type: 'finished' }));
    expect(transitions).toMatchObject([{ kind: 'status_changed', value: value(null, 'finished') }]);
  });

  test('its clock, if it differs from the running clock', () => {
    expect(when({ clock_status: 'stopped' })).toMatchObject([
      { kind: 'clock_changed', value: value('0 running', '60 stopped') },
    ]);
    expect(when({ clock_time: 57 })).toMatchObject([
      { kind: 'clock_changed', value: value('0 running', '57 running') },
    ]);
    expect(when({ clock_time: 58 })).toMatchObject([{ kind: 'event_amended', fields: ['clock_time'] }]);
    expect(when({ clock_time: 58, played_time: 58 })).toMatchObject([
      { kind: 'event_amended', fields: ['clock_time', 'played_time'] },
    ]);
  });

  test('its other fields by name, sorted', () => {
    expect(when({ relation_status: 'finished', name: 'B - A' })).toMatchObject([
      { kind: 'event_amended', fields: ['name', 'relation_status'] },
    ]);
    const renamed = participants().map((side) => ({ ...(side as object), name: 'B' }));
    expect(when({ relation_status: 'finished', participants: renamed })).toMatchObject([
      { kind: 'event_amended', fields: ['participants', 'relation_status'] },
    ]);
    expect(when({ participants: participants(1, 0) }).map(({ kind }) => kind)).toEqual([
      'event_amended',
      'guard_changed',
    ]);
  });

  test('that the provider no longer has it', () => {
    const missing = absenceMessage(START + 9);
    const { transitions } = given(opening, missing).when(absenceMessage(START + 9, { confirmed: true }));
    expect(transitions.map((one) => one.value)).toEqual([
      value('33 live', '33 deleted'),
      value('missing', 'deleted'),
      null,
      null,
    ]);
  });

  test('no value in another form', () => {
    expect(when({ status_id: '33' })[0]?.fields).not.toContain('status_id');
  });

  test('none for a running clock or a repeated field, if there is another change', () => {
    const outcome = given(opening, kickOff).when(
      incidentMessage(incident('5-110', 400, later(60)), { fields: eventFields({ clock_time: 60 }) }),
    );
    expect(outcome.kinds).toEqual(['incident_added']);
  });

  test('a later report of the same values, if there is no other change', () => {
    const outcome = given(opening).when(eventMessage(START + 60, { name: 'Home - Away' }));
    expect(outcome.transitions).toMatchObject([{ kind: 'event_amended', fields: [] }]);
    expect(given(opening).when(opening).transitions).toEqual([]);
  });

  test('a field whose own kind reports nothing, beside an incident', () => {
    const other = incidentMessage(incident('5-2', 400, later(60)), { fields: { status_name: '1st half' } });
    const { transitions } = given(opening, kickOff).when(other);
    expect(transitions.map(({ kind, fields }) => [kind, fields])).toEqual([
      ['incident_added', []],
      ['event_amended', ['status_name']],
    ]);
  });
});

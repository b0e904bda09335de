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

const body = (options?: IncidentOptions) => incident('5-1', 400, options);
const cancelled = (options?: IncidentOptions) => body({ ...options, confirmation: 'cancelled' });
const known = incidentMessage(body());
const another = incident('5-2', 400);
const deleted = incidentMessage(body({ ut: START + 5 }), { deleted: true });

type Time = number | null;
test.each<
  [
    why: string,
    before: NormalizedMessage[],
    NormalizedMessage,
    present: Time,
    absent: Time,
    winning?: Incident | null,
    missing?: boolean,
  ]
>([
  ['reported', [], known, START, null],
  ['reported as cancelled', [], incidentMessage(cancelled()), START, null, cancelled()],
  ['cancelled once known', [known], incidentMessage(cancelled({ ut: START + 5 })), START + 5, null],
  ['deleted', [known], deleted, START, START + 5],
  ['deleted before it was reported', [], deleted, null, START + 5],
  ['listed', [], snapshotMessage(START + 60, [body()]), START + 60, null, body()],
  ['omitted lately', [known], snapshotMessage(START + 74, [another]), START, null, body(), true],
  ['omitted for long', [known], snapshotMessage(START + 75, [another]), START, START, body()],
])(
  'the presence of an incident that is %s',
  (_, before, message, present_at, absent_at, winning = null, missing = false) => {
    const [first] = given(opening, ...before).when(message).transitions;
    const removed = present_at !== null && absent_at !== null;
    expect(first?.incident_presence).toEqual({ removed, missing, present_at, absent_at, incident: winning });
  },
);

test('the presence of an incident that a result brings back has its record, not an older one beside the result', () => {
  const [first, second] = [incident('5-1', 413), incident('5-2', 413)];
  const fields = eventFields({ participants: participants(2, 0) });
  const older = incidentMessage(incident('5-2', 413, { ut: START - 1 }), { fields });
  const list = snapshotMessage(START + 600, [first]);
  const [back] = given(opening, incidentMessage(first), incidentMessage(second), list).when(
    older,
  ).transitions;
  expect(back).toMatchObject({ kind: 'incident_reinstated', incident_presence: { incident: second } });
});

test('the presence of an incident is with its first transition alone', () => {
  const back = incidentMessage(cancelled({ ut: START + 9 }));
  const { transitions } = given(opening, known, deleted).when(back);
  expect(transitions.map(({ kind, incident_presence }) => [kind, incident_presence !== null])).toEqual([
    ['incident_reinstated', true],
    ['incident_cancelled', false],
  ]);
});

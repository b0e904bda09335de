/** The fields of a transition beside its kind. */
import { describe, expect, test } from 'vitest';
import {
  eventFields,
  eventMessage,
  incident,
  incidentMessage,
  START,
  snapshotMessage,
} from './testing/messages.ts';
import { given } from './testing/spec.ts';

const opening = eventMessage(START, eventFields());
const body = incident('5-1', 400);
const known = incidentMessage(body);
const gone = (ut: number) => incidentMessage(incident('5-1', 400, { ut }), { deleted: true });

describe('the presence of an incident', () => {
  const listed = incident('5-1', 400);
  const cancelled = incident('5-1', 400, { confirmation: 'cancelled' });
  test.each([
    {
      why: 'reported',
      before: [],
      message: known,
      presence: { removed: false, present_at: START, absent_at: null, incident: null },
    },
    {
      why: 'reported as cancelled',
      before: [],
      message: incidentMessage(cancelled),
      presence: { removed: false, present_at: START, absent_at: null, incident: cancelled },
    },
    {
      why: 'cancelled once it was known',
      before: [known],
      message: incidentMessage(incident('5-1', 400, { ut: START + 5, confirmation: 'cancelled' })),
      presence: { removed: false, present_at: START + 5, absent_at: null, incident: null },
    },
    {
      why: 'deleted',
      before: [known],
      message: gone(START + 5),
      presence: { removed: true, present_at: START, absent_at: START + 5, incident: null },
    },
    {
      why: 'deleted before it was reported',
      before: [],
      message: gone(START + 5),
      presence: { removed: false, present_at: null, absent_at: START + 5, incident: null },
    },
    {
      why: 'listed',
      before: [],
      message: snapshotMessage(START + 60, [listed]),
      presence: { removed: false, present_at: START + 60, absent_at: null, incident: listed },
    },
  ])('that is $why', ({ before, message, presence }) => {
    const [first] = given(opening, ...before).when(message).transitions;
    expect(first?.incident_presence).toEqual(presence);
  });

  test('is with its first transition alone', () => {
    const back = incidentMessage(incident('5-1', 400, { ut: START + 9, confirmation: 'cancelled' }));
    const { transitions } = given(opening, known, gone(START + 5)).when(back);
    expect(transitions.map(({ kind, incident_presence }) => [kind, incident_presence !== null])).toEqual([
      ['incident_reinstated', true],
      ['incident_cancelled', false],
    ]);
  });
});

describe('a transition of the event', () => {
  const when = (fields: Record<string, unknown>) =>
    given(opening, known).when(eventMessage(START + 60, fields)).transitions;

  test('reports a status without the clock', () => {
    expect(when({ status_id: 9 }).map(({ kind }) => kind)).toEqual(['status_changed']);
  });

  test('names no goals and no incident', () => {
    expect(when({ bet_status: 'suspended' })[0]).toMatchObject({
      kind: 'bet_status_changed',
      goals: [],
      fields: [],
      incident_id: null,
      incident_presence: null,
    });
  });

  test('names a field whose own kind reports nothing, beside an incident', () => {
    const other = incidentMessage(incident('5-2', 400, { ut: START + 60 }), {
      fields: { status_name: '1st half' },
    });
    const { transitions } = given(opening, known).when(other);
    expect(transitions.map(({ kind, fields }) => [kind, fields])).toEqual([
      ['incident_added', []],
      ['event_amended', ['status_name']],
    ]);
  });
});

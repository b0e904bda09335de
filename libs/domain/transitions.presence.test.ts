import { expect, test } from 'vitest';
import type { Incident, NormalizedMessage } from '#records/types.ts';
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

const opening = eventMessage(START, eventFields());
const body = (options?: IncidentOptions) => incident('5-1', 400, options);
const cancelled = (options?: IncidentOptions) => body({ ...options, confirmation: 'cancelled' });
const known = incidentMessage(body());
const later = incident('5-2', 400);
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
  ['omitted lately', [known], snapshotMessage(START + 74, [later]), START, null, body(), true],
  ['omitted for long', [known], snapshotMessage(START + 75, [later]), START, START, body()],
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

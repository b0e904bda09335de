import { describe, expect, test } from 'vitest';
import type { Incident } from '#topics/generated/types.ts';
import { absentAt, isRemoved, outranks, presentAt } from './incident-register.ts';
import { incident, incidentMessage, START, snapshotMessage } from './testing/messages.ts';
import { given } from './testing/spec.ts';

const body = (ut: number, confirmation: string | null, note: string) =>
  incident('5-1', 413, { ut, confirmation, note });

describe('a record wins over the stored one (law 1)', () => {
  test.each<[wins: boolean, why: string, record: Incident, current: Incident]>([
    [true, 'it is later', body(2, null, 'a'), body(1, 'cancelled', 'b')],
    [false, 'it is earlier', body(1, 'cancelled', 'b'), body(2, null, 'a')],
    [true, 'cancelled > confirmed', body(1, 'cancelled', 'a'), body(1, 'confirmed', 'b')],
    [true, 'confirmed > tbd', body(1, 'confirmed', 'a'), body(1, 'tbd', 'b')],
    [true, 'tbd > null', body(1, 'tbd', 'a'), body(1, null, 'b')],
    [false, 'null < tbd', body(1, null, 'b'), body(1, 'tbd', 'a')],
    [true, 'its JSON is larger', body(1, 'tbd', 'b'), body(1, 'tbd', 'a')],
    [false, 'its JSON is smaller', body(1, 'tbd', 'a'), body(1, 'tbd', 'b')],
    [false, 'code units, not an alphabet', body(1, 'tbd', 'Z'), body(1, 'tbd', 'a')],
    [false, 'it is the same', body(1, 'tbd', 'a'), body(1, 'tbd', 'a')],
  ])('%s: %s', (wins, _, record, current) => {
    expect(outranks(record, current)).toBe(wins);
  });
});

describe('the times of an incident (law 3)', () => {
  const never = Number.NEGATIVE_INFINITY;
  const one = incident('5-1', 400, { ut: 100 });
  type Time = number | null;
  test.each<[string, deleted: Time, listed: Time, snapshot: Time, present: number, absent: number, boolean]>([
    ['no snapshot', null, null, null, 100, never, false],
    ['a delete before it', 99, null, null, 100, 99, false],
    ['a delete of its time', 100, null, null, 100, 100, true],
    ['listed', null, 200, 200, 200, never, false],
    ['listed before it was written', null, 90, 90, 100, never, false],
    ['listed after its delete', 150, 200, 200, 200, 150, false],
    ['listed earlier, but not in the latest list', null, 150, 200, 100, 195, true],
    ['not listed', null, null, 200, 100, 195, true],
    ['not listed 5 s after it was written', null, null, 105, 100, 100, true],
    ['not listed 4 s after it was written', null, null, 104, 100, 99, false],
    ['not listed, deleted later', 300, null, 200, 100, 300, true],
  ])('%s', (_, deleted_at, listed_at, snapshotAt, present, absent, removed) => {
    const presence = { incident: one, deleted_at, listed_at };
    expect(presentAt(one, presence, snapshotAt)).toBe(present);
    expect(absentAt(presence, snapshotAt)).toBe(absent);
    expect(isRemoved(presence, snapshotAt)).toBe(removed);
    expect(isRemoved({ ...presence, incident: null }, snapshotAt)).toBe(false);
  });
});

describe('a delete', () => {
  const reported = incident('5-1', 413, { ut: START + 10 });

  test('leaves the body unchanged', () => {
    const later = incident('5-1', 413, { ut: START + 20, confirmation: 'cancelled' });
    const { incident: register } = given(incidentMessage(reported)).when(
      incidentMessage(later, { deleted: true }),
    );
    expect(register('5-1')).toMatchObject({ incident: reported, removed: true, deleted_at: START + 20 });
  });

  test('is stored with its latest time', () => {
    const early = incident('5-1', 413, { ut: START });
    const deleted = given(incidentMessage(reported), incidentMessage(reported, { deleted: true }));
    expect(deleted.when(incidentMessage(early, { deleted: true })).incidents).toEqual([]);
  });

  test('of an unknown incident is stored and is no tombstone', () => {
    const outcome = given().when(incidentMessage(reported, { deleted: true }));
    expect(outcome.incidents).toEqual(['5-1']);
    expect(outcome.incident('5-1')).toMatchObject({ incident: null, removed: false, deleted_at: START + 10 });
    expect(outcome.state).toMatchObject({ removed: [], coverage: 'none' });
  });

  test('removes an incident that is reported only after it', () => {
    const outcome = given(incidentMessage(reported, { deleted: true })).when(incidentMessage(reported));
    expect(outcome.kinds).toEqual(['incident_added', 'incident_removed', 'goal_cancelled']);
    expect(outcome.state.removed).toEqual(['5-1']);
  });
});

describe('a snapshot', () => {
  const one = incident('5-1', 400, { ut: START });
  const two = incident('5-2', 400, { ut: START });

  test('removes the incidents it does not list and keeps them as tombstones', () => {
    const outcome = given(incidentMessage(one), incidentMessage(two)).when(
      snapshotMessage(START + 60, [one]),
    );
    expect(outcome.state).toMatchObject({ removed: ['5-2'], snapshot_at: START + 60 });
    expect(outcome.incident('5-2')).toMatchObject({ incident: two, removed: true, listed_at: null });
    expect(outcome.incidents).toEqual(['5-1', '5-2']);
  });

  test('changes no incident whose presence it does not change', () => {
    const recent = incident('5-3', 400, { ut: START + 58 });
    const outcome = given(
      incidentMessage(one),
      incidentMessage(two),
      snapshotMessage(START + 60, [one]),
      incidentMessage(recent),
    ).when(snapshotMessage(START + 61, [one]));
    expect(outcome.incidents).toEqual(['5-1']);
    expect(outcome.state.removed).toEqual(['5-2']);
  });

  test('of the same time as another adds to its list', () => {
    const outcome = given(
      incidentMessage(one),
      incidentMessage(two),
      snapshotMessage(START + 60, [one]),
    ).when(snapshotMessage(START + 60, [two]));
    expect(outcome.state.removed).toEqual([]);
    expect(outcome.kinds).toEqual(['incident_reinstated', 'snapshot_applied']);
  });

  test('that is older applies its bodies, but does not change which incidents are listed', () => {
    const amended = incident('5-2', 400, { ut: START + 30, note: 'amended' });
    const outcome = given(snapshotMessage(START + 60, [one])).when(snapshotMessage(START + 40, [amended]));
    expect(outcome.state).toMatchObject({ removed: ['5-2'], snapshot_at: START + 60 });
    expect(outcome.incident('5-2')).toMatchObject({ incident: amended, listed_at: START + 40 });
  });
});

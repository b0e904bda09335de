import { describe, expect, test } from 'vitest';
import { absentAt, isRemoved, outranks, presentAt } from './incident-register.ts';
import { incident, incidentMessage, START, snapshotMessage } from './testing/messages.ts';
import { given } from './testing/spec.ts';

const body = (ut: number, confirmation: string | null, note: string) =>
  incident('5-1', 413, { ut, confirmation, note });

describe('a record wins over the stored one (law 1)', () => {
  test.each([
    { record: body(2, null, 'a'), current: body(1, 'cancelled', 'b'), wins: true, why: 'it is later' },
    { record: body(1, 'cancelled', 'b'), current: body(2, null, 'a'), wins: false, why: 'it is earlier' },
    {
      record: body(1, 'cancelled', 'a'),
      current: body(1, 'confirmed', 'b'),
      wins: true,
      why: 'cancelled > confirmed',
    },
    { record: body(1, 'confirmed', 'a'), current: body(1, 'tbd', 'b'), wins: true, why: 'confirmed > tbd' },
    { record: body(1, 'tbd', 'a'), current: body(1, null, 'b'), wins: true, why: 'tbd > null' },
    { record: body(1, null, 'b'), current: body(1, 'tbd', 'a'), wins: false, why: 'null < tbd' },
    { record: body(1, 'tbd', 'b'), current: body(1, 'tbd', 'a'), wins: true, why: 'its JSON is larger' },
    { record: body(1, 'tbd', 'a'), current: body(1, 'tbd', 'b'), wins: false, why: 'its JSON is smaller' },
    {
      record: body(1, 'tbd', 'Z'),
      current: body(1, 'tbd', 'a'),
      wins: false,
      why: 'code units, not an alphabet',
    },
    { record: body(1, 'tbd', 'a'), current: body(1, 'tbd', 'a'), wins: false, why: 'it is the same' },
  ])('$wins: $why', ({ record, current, wins }) => {
    expect(outranks(record, current)).toBe(wins);
  });
});

describe('the times of an incident (law 3)', () => {
  const never = Number.NEGATIVE_INFINITY;
  const one = incident('5-1', 400, { ut: 100 });
  test.each([
    { why: 'no snapshot', snapshotAt: null, present: 100, absent: never, removed: false },
    { why: 'a delete before it', deleted_at: 99, snapshotAt: null, present: 100, absent: 99, removed: false },
    {
      why: 'a delete of its time',
      deleted_at: 100,
      snapshotAt: null,
      present: 100,
      absent: 100,
      removed: true,
    },
    { why: 'listed', listed_at: 200, snapshotAt: 200, present: 200, absent: never, removed: false },
    {
      why: 'listed before it was written',
      listed_at: 90,
      snapshotAt: 90,
      present: 100,
      absent: never,
      removed: false,
    },
    {
      why: 'listed after its delete',
      deleted_at: 150,
      listed_at: 200,
      snapshotAt: 200,
      present: 200,
      absent: 150,
      removed: false,
    },
    {
      why: 'listed earlier, but not in the latest list',
      listed_at: 150,
      snapshotAt: 200,
      present: 100,
      absent: 195,
      removed: true,
    },
    { why: 'not listed', snapshotAt: 200, present: 100, absent: 195, removed: true },
    { why: 'not listed 5 s after it was written', snapshotAt: 105, present: 100, absent: 100, removed: true },
    { why: 'not listed 4 s after it was written', snapshotAt: 104, present: 100, absent: 99, removed: false },
    {
      why: 'not listed, deleted later',
      deleted_at: 300,
      snapshotAt: 200,
      present: 100,
      absent: 300,
      removed: true,
    },
  ])('$why', ({ deleted_at = null, listed_at = null, snapshotAt, present, absent, removed }) => {
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

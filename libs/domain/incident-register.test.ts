import { describe, expect, test } from 'vitest';
import { outranks } from './incident-register.ts';
import { incident, incidentMessage, START, snapshotMessage } from './testing/messages.ts';
import { given } from './testing/spec.ts';

const body = (ut: number, confirmation: string | null, note: string) =>
  incident('5-1', 413, { ut, confirmation, note });

describe('a record wins over the stored one (law 1)', () => {
  test.each([
    { record: body(2, null, 'a'), standing: body(1, 'cancelled', 'b'), wins: true, why: 'it is later' },
    { record: body(1, 'cancelled', 'b'), standing: body(2, null, 'a'), wins: false, why: 'it is earlier' },
    {
      record: body(1, 'cancelled', 'a'),
      standing: body(1, 'confirmed', 'b'),
      wins: true,
      why: 'cancelled > confirmed',
    },
    { record: body(1, 'confirmed', 'a'), standing: body(1, 'tbd', 'b'), wins: true, why: 'confirmed > tbd' },
    { record: body(1, 'tbd', 'a'), standing: body(1, null, 'b'), wins: true, why: 'tbd > null' },
    { record: body(1, null, 'b'), standing: body(1, 'tbd', 'a'), wins: false, why: 'null < tbd' },
    { record: body(1, 'tbd', 'b'), standing: body(1, 'tbd', 'a'), wins: true, why: 'its JSON is larger' },
    { record: body(1, 'tbd', 'a'), standing: body(1, 'tbd', 'b'), wins: false, why: 'its JSON is smaller' },
    {
      record: body(1, 'tbd', 'Z'),
      standing: body(1, 'tbd', 'a'),
      wins: false,
      why: 'code units, not an alphabet',
    },
    { record: body(1, 'tbd', 'a'), standing: body(1, 'tbd', 'a'), wins: false, why: 'it is the same' },
  ])('$wins: $why', ({ record, standing, wins }) => {
    expect(outranks(record, standing)).toBe(wins);
  });
});

describe('a delete', () => {
  const reported = incident('5-1', 413, { ut: START + 10 });

  test('leaves the body as it is', () => {
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

  test('of the same time as another adds to its list', () => {
    const outcome = given(
      incidentMessage(one),
      incidentMessage(two),
      snapshotMessage(START + 60, [one]),
    ).when(snapshotMessage(START + 60, [two]));
    expect(outcome.state.removed).toEqual([]);
    expect(outcome.kinds).toEqual(['incident_reinstated', 'snapshot_applied']);
  });

  test('that is older applies its bodies, and changes nothing of what is listed now', () => {
    const amended = incident('5-2', 400, { ut: START + 30, note: 'amended' });
    const outcome = given(snapshotMessage(START + 60, [one])).when(snapshotMessage(START + 40, [amended]));
    expect(outcome.state).toMatchObject({ removed: ['5-2'], snapshot_at: START + 60 });
    expect(outcome.incident('5-2')).toMatchObject({ incident: amended, listed_at: START + 40 });
  });
});

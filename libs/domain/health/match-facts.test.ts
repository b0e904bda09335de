import { describe, expect, test } from 'vitest';
import { EventRegister } from '../event-register.ts';
import { eventOf } from '../testing/messages.ts';
import { healthOf, matchFacts, NO_FACTS } from './verdict.ts';

function factsOf(fields: Readonly<Record<string, unknown>>) {
  const register = new EventRegister();
  register.apply(healthOf(eventOf(fields), true), { ut: 1, message_id: null });
  return matchFacts(register);
}

const RUNS = { live: true, over: false, runs: true };
const STANDS = { live: true, over: false, runs: false };
const OVER = { live: false, over: true, runs: false };

test.each([
  [{}, NO_FACTS],
  [{ status_type: 'scheduled', clock_status: 'running' }, NO_FACTS],
  [{ status_type: 'live', clock_status: 'running' }, RUNS],
  [{ status_type: 'live', clock_status: 'stopped' }, STANDS],
  // Breaks of soccer without a reported clock.
  [{ status_type: 'live', status_id: 33 }, RUNS],
  [{ status_type: 'live' }, RUNS],
  [{ status_type: 'live', status_id: 9 }, STANDS],
  [{ status_type: 'live', status_id: 37 }, STANDS],
  [{ status_type: 'live', status_id: 48 }, STANDS],
  [{ status_type: 'live', status_id: 142 }, STANDS],
  [{ status_type: 'live', status_id: 9, clock_status: 'running' }, RUNS],
  // The status has the type.
  [{ status_id: 34 }, RUNS],
  [{ status_id: 11 }, OVER],
  [{ status_id: 99_999 }, NO_FACTS],
  [{ status_id: 34, status_type: 'finished', clock_status: 'running' }, OVER],
  [{ status_type: 'live', item_status: 'deleted' }, OVER],
  [{ status_type: 'live', item_status: 'active' }, RUNS],
  [{ status_type: 'live', action: 'delete' }, OVER],
])('the facts of a match: %j', (fields, facts) => {
  expect(factsOf(fields)).toEqual(facts);
});

describe('what an event says of the facts', () => {
  test.each<[fields: Record<string, unknown>, over: boolean, says: boolean]>([
    [{ clock_status: null }, false, true],
    [{ status_id: 33 }, false, true],
    [{ status_type: 'live' }, false, true],
    [{ item_status: 'deleted' }, false, true],
    [{ action: 'delete' }, false, true],
    [{ item_status: 'active' }, false, false],
    [{ item_status: 'active' }, true, true],
    [{ name: 'status_id', clock_time: 7 }, true, false],
    [{ clock_time: null }, true, false],
  ])('%j, over: %s: %s', (fields, over, says) => {
    const read = healthOf(eventOf(fields), over);
    expect(read === null ? null : { ...read, nulls: [] }).toEqual(
      says ? { ...eventOf({ ...fields, name: undefined }), nulls: [] } : null,
    );
  });

  test('is nothing without an event', () => {
    expect(healthOf(null, false)).toBeNull();
  });
});

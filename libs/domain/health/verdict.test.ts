import { describe, expect, test } from 'vitest';
import { EventRegister } from '../event-register.ts';
import { LIMITS } from '../testing/health.ts';
import { eventOf } from '../testing/messages.ts';
import {
  backlogDue,
  GOOD,
  type HealthVerdict,
  healthOf,
  judgeContent,
  judgeMatch,
  matchFacts,
  NO_FACTS,
  silenceDue,
} from './verdict.ts';

const HEARD = 1_000_000;

/** A live match whose clock runs, with a message just now. */
type MatchInputs = Parameters<typeof judgeMatch>[0];

const match = (changes: Partial<MatchInputs> = {}): MatchInputs => ({
  live: true,
  over: false,
  runs: true,
  runsSince: HEARD - 60_000,
  signs: { heardAt: HEARD, late: null },
  keepAliveAt: null,
  waitingSince: null,
  readTo: Number.POSITIVE_INFINITY,
  source: GOOD,
  ...changes,
});
const verdict =
  <K extends 'stale' | 'delayed' | 'down', R extends string>(kind: K, reason: R) =>
  (since: number) =>
    ({ kind, reason, since, progress: null }) as const;
const stale = verdict('stale', 'silence');
const delayed = verdict('delayed', 'delay');
const behind = verdict('down', 'backlog');
const LATE = { heardAt: HEARD, late: { reason: 'delay', receivedAt: HEARD + 9_000 } } as const;

test.each<[string, Partial<MatchInputs>, number | null]>([
  ['20 s after the last message while the clock runs', {}, HEARD + 20_000],
  ['20 s after the clock started', { runsSince: HEARD + 3_000 }, HEARD + 23_000],
  ['never while the clock is stopped without keep-alives', { runs: false }, null],
  ['90 s after the last message if keep-alives come', { runs: false, keepAliveAt: HEARD }, HEARD + 90_000],
  ['never when the match is not live', { runs: false, live: false, keepAliveAt: HEARD }, null],
  ['never where the match is over', { over: true }, null],
])('silence is due: %s', (_, changes, due) => {
  expect(silenceDue(match(changes), LIMITS)).toBe(due);
});

test.each<[string, Partial<MatchInputs>, number | null]>([
  ['never when no message waits', {}, null],
  ['5 s after the waiting message', { waitingSince: HEARD }, HEARD + 5_000],
  ['never where the match is over', { waitingSince: HEARD, over: true }, null],
])('a backlog is due: %s', (_, changes, due) => {
  expect(backlogDue(match(changes), LIMITS)).toBe(due);
});

const down: HealthVerdict = { kind: 'down', reason: 'network', since: HEARD, progress: null };
test.each<[string, Partial<MatchInputs>, number, HealthVerdict]>([
  ['good before its silence is due', {}, HEARD + 19_999, GOOD],
  ['stale once its silence is due', {}, HEARD + 20_000, stale(HEARD + 20_000)],
  ['good while silence does not count', { runs: false }, HEARD + 1e6, GOOD],
  ['good before its backlog is due', { waitingSince: HEARD }, HEARD + 4_999, GOOD],
  ['behind once its backlog is due', { waitingSince: HEARD }, HEARD + 5_000, behind(HEARD + 5_000)],
  ['behind rather than stale', { waitingSince: HEARD }, HEARD + 30_000, behind(HEARD + 5_000)],
  ['delayed, as long as it is not silent', { signs: LATE }, HEARD + 28_999, delayed(HEARD + 9_000)],
  ['stale 20 s after the last late content', { signs: LATE }, HEARD + 29_000, stale(HEARD + 29_000)],
  ['delayed while its clock is stopped', { signs: LATE, runs: false }, HEARD + 1e6, delayed(HEARD + 9_000)],
  ['behind rather than delayed', { signs: LATE, waitingSince: HEARD }, HEARD + 9_000, behind(HEARD + 5_000)],
  ['ended rather than delayed', { signs: LATE, over: true }, HEARD + 9_000, { kind: 'ended' }],
  ['judged by its source first', { source: down, waitingSince: HEARD }, HEARD + 30_000, down],
  ['ended where it is over, whatever its source is', { over: true, source: down }, HEARD, { kind: 'ended' }],
])('a match is: %s', (_, changes, now, verdict) => {
  expect(judgeMatch(match(changes), LIMITS, now)).toEqual(verdict);
});

test.each<[string, number, number, HealthVerdict]>([
  ['counts in the millisecond that it is due', HEARD, HEARD, stale(HEARD)],
  ['does not count before', HEARD + 9, HEARD - 1, GOOD],
  ['may be a message that is not read yet, for half a second', HEARD - 1, HEARD + 499, GOOD],
  ['is a backlog if messages are not read after half a second', HEARD - 1, HEARD + 500, behind(HEARD)],
  ['is silence if all messages are read', HEARD, HEARD + 500, stale(HEARD)],
])('silence that is due: %s', (_, readTo, now, verdict) => {
  expect(judgeContent(null, HEARD, readTo, now)).toEqual(verdict);
});

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

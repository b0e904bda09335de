import { expect, test } from 'vitest';
import { RetrySchedule, type TaskFailure } from './retry-schedule.ts';
import type { TaskState } from './task-state.ts';

const SESSION_MS = 10_000;
const failed = (failure: Partial<TaskFailure> = {}, state: TaskState = 'failed') => ({
  partition: 3,
  state,
  failure: { code: 'UNAVAILABLE', at: 0, hasLearned: false, ...failure },
});

/** The times at which a task that fails at once is claimed; checked every 10 ms while the group confirms the member. */
function claims(untilMs: number, failure: Partial<TaskFailure>, state: TaskState = 'failed'): number[] {
  const schedule = new RetrySchedule(SESSION_MS);
  const times: number[] = [];
  let at = 0;
  for (let now = 0; now <= untilMs; now += 10) {
    schedule.heard(now);
    if (!schedule.isDue(failed({ ...failure, at }, state), now)) continue;
    times.push(now);
    at = now;
  }
  return times;
}

test('doubles the wait after each failure, up to a ceiling', () => {
  expect(claims(20_000, {})).toEqual([100, 300, 700, 1_500, 3_100, 6_300, 11_300, 16_300]);
});

test('waits longer where an operator has to decide', () => {
  const times = claims(200_000, {}, 'refused');
  expect((times.at(-1) ?? 0) - (times.at(-2) ?? 0)).toBe(30_000);
});

test('does not wait longer where the failure gave new information on a record', () => {
  expect(claims(500, { hasLearned: true })).toEqual([100, 200, 300, 400, 500]);
});

test('starts with the shortest wait again once the task ran', () => {
  const schedule = new RetrySchedule(SESSION_MS);
  schedule.heard(0);
  expect(schedule.isDue(failed(), 100)).toBe(true);
  expect(schedule.isDue({ ...failed(), state: 'running' }, 200)).toBe(false);
  expect(schedule.isDue(failed({ at: 250 }), 349)).toBe(false);
  expect(schedule.isDue(failed({ at: 250 }), 350)).toBe(true);
});

test('claims a fenced task only once the group has confirmed this member after that', () => {
  const schedule = new RetrySchedule(SESSION_MS);
  schedule.heard(90);
  expect(schedule.isDue(failed({ code: 'FENCED', at: 100 }), 1_000)).toBe(false);
  schedule.heard(1_010);
  expect(schedule.isDue(failed({ code: 'FENCED', at: 100 }), 1_020)).toBe(true);
});

test('leaves a fenced task alone once that confirmation is older than a session', () => {
  const schedule = new RetrySchedule(SESSION_MS);
  schedule.heard(200);
  const fenced = failed({ code: 'FENCED', at: 100 });
  expect(schedule.isDue(fenced, SESSION_MS + 200)).toBe(false);
  schedule.heard(SESSION_MS + 201);
  expect(schedule.isDue(fenced, SESSION_MS + 202)).toBe(true);
});

test('claims a task after any other failure while the group keeps the member, silent or not', () => {
  const schedule = new RetrySchedule(SESSION_MS);
  schedule.heard(0);
  expect(schedule.isDue(failed({ at: 5_000 }), 9_990)).toBe(true);
  expect(schedule.isDue(failed({ at: 5_000 }), 10_200)).toBe(false);
});

test.each(['created', 'claiming', 'restoring', 'closed'] as const)(
  'leaves a task that is %s alone',
  (state) => {
    const schedule = new RetrySchedule(SESSION_MS);
    schedule.heard(0);
    expect(schedule.isDue(failed({}, state), 1_000)).toBe(false);
  },
);

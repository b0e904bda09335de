import { expect, test } from 'vitest';
import { RetrySchedule, type TaskFailure } from './retry-schedule.ts';
import type { TaskState } from './task-state.ts';

const SESSION_MS = 10_000;
const failed = (failure: Partial<TaskFailure> = {}, state: TaskState = 'failed') => ({
  partition: 3,
  state,
  failure: { code: 'UNAVAILABLE', at: 0, hasProgress: false, ...failure },
});

/** Returns when a task is claimed that fails after each claim, checked every 10 ms while the group confirms the member. */
function claims(untilMs: number, failure: Partial<TaskFailure>, state: TaskState = 'failed'): number[] {
  const schedule = new RetrySchedule(SESSION_MS);
  const times: number[] = [];
  let at = 0;
  for (let now = 0; now <= untilMs; now += 10) {
    schedule.confirm(now);
    if (!schedule.isDue(failed({ ...failure, at }, state), now)) continue;
    times.push(now);
    at = now;
  }
  return times;
}

test('doubles the wait after each failure, up to a ceiling', () => {
  expect(claims(20_000, {})).toEqual([100, 300, 700, 1_500, 3_100, 6_300, 11_300, 16_300]);
});

test('waits up to 30 seconds before it claims a refused task again', () => {
  const times = claims(200_000, {}, 'refused');
  expect((times.at(-1) ?? 0) - (times.at(-2) ?? 0)).toBe(30_000);
});

test('does not double the wait when the failure gave new information on a record', () => {
  expect(claims(500, { hasProgress: true })).toEqual([100, 200, 300, 400, 500]);
});

test('starts with the first wait again once the task has run', () => {
  const schedule = new RetrySchedule(SESSION_MS);
  schedule.confirm(0);
  expect(schedule.isDue(failed(), 100)).toBe(true);
  expect(schedule.isDue({ ...failed(), state: 'running' }, 200)).toBe(false);
  expect(schedule.isDue(failed({ at: 250 }), 349)).toBe(false);
  expect(schedule.isDue(failed({ at: 250 }), 350)).toBe(true);
});

test('claims a fenced task only after a confirmation since, which is not older than a session', () => {
  const schedule = new RetrySchedule(SESSION_MS);
  const fenced = failed({ code: 'FENCED', at: 100 });
  const isDueAfter = (confirmed: number, now: number): boolean => {
    schedule.confirm(confirmed);
    return schedule.isDue(fenced, now);
  };
  expect(isDueAfter(90, 1_000)).toBe(false);
  expect(isDueAfter(200, SESSION_MS + 200)).toBe(false);
  expect(isDueAfter(SESSION_MS + 201, SESSION_MS + 202)).toBe(true);
});

test('claims a task after any other failure for a session after the last confirmation', () => {
  const schedule = new RetrySchedule(SESSION_MS);
  schedule.confirm(0);
  expect(schedule.isDue(failed({ at: 5_000 }), 9_990)).toBe(true);
  expect(schedule.isDue(failed({ at: 5_000 }), 10_200)).toBe(false);
  for (const state of ['created', 'claiming', 'restoring', 'closed'] as const)
    expect(schedule.isDue(failed({}, state), 9_990), state).toBe(false);
});

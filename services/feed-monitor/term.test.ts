import { expect, test } from 'vitest';
import { ClockStepError, SteadyClock } from './term.ts';

const at = { unix: 1_790_000_000_000, monotonic: 500 };
const source = { unix: () => at.unix, monotonic: () => at.monotonic };

test('follows a clock that is slewed, and never goes back', () => {
  const clock = new SteadyClock(source);
  let last = clock.now();
  for (let step = 0; step < 1_000; step++) {
    at.monotonic += 100;
    at.unix += step < 500 ? 99 : 101;
    const now = clock.now();
    expect(now).toBeGreaterThanOrEqual(last);
    expect(Math.abs(now - at.unix)).toBeLessThan(20);
    last = now;
  }
});

test.each([-3_600_000, -1_500, 1_500, 3_600_000])(
  'throws when the machine’s clock was set by %i ms',
  (by) => {
    const clock = new SteadyClock(source);
    at.unix += by;
    expect(() => clock.now()).toThrow(ClockStepError);
  },
);

test('advances by the time that passed while the process was paused', () => {
  const clock = new SteadyClock(source);
  at.unix += 60_000;
  at.monotonic += 60_000;
  expect(clock.now()).toBe(at.unix);
});

import { expect, test } from 'vitest';
import { StableWatch } from './incarnation.ts';

test('reports once a transaction that is open for a minute, and again after the partition advanced', () => {
  const watch = new StableWatch();
  expect(watch.becameStuck(5, 5, 0)).toBe(false);
  expect(watch.becameStuck(5, 8, 1_000)).toBe(false);
  expect(watch.becameStuck(5, 9, 59_999)).toBe(false);
  expect(watch.becameStuck(5, 9, 60_000)).toBe(true);
  expect(watch.becameStuck(5, 12, 500_000)).toBe(false);
  expect(watch.becameStuck(12, 14, 500_001)).toBe(false);
  expect(watch.becameStuck(12, 14, 560_001)).toBe(true);
});

test('reports no idle partition', () => {
  const watch = new StableWatch();
  expect(watch.becameStuck(5, 5, 0)).toBe(false);
  expect(watch.becameStuck(5, 5, 3_600_000)).toBe(false);
  expect(watch.becameStuck(5, 6, 3_600_001)).toBe(false);
});

test('returns how long the last stable offset has not moved although records follow it', () => {
  const watch = new StableWatch();
  const stuckAfter = (end: number, written: number, now: number): number => {
    watch.becameStuck(end, written, now);
    return watch.stuckMs(now);
  };
  expect(stuckAfter(5, 5, 0)).toBe(0);
  expect(stuckAfter(5, 8, 1_000)).toBe(1_000);
  expect(stuckAfter(5, 9, 25_000)).toBe(25_000);
  expect(stuckAfter(7, 9, 26_000), 'another transaction').toBe(0);
  expect(stuckAfter(9, 9, 27_000)).toBe(0);
});

import { expect, test } from 'vitest';
import { StableWatch } from './incarnation.ts';

test('reports a transaction that stays open for a minute once, until the partition advances', () => {
  const watch = new StableWatch();
  expect(watch.becameStuck(5, 5, 0)).toBe(false);
  expect(watch.becameStuck(5, 8, 1_000)).toBe(false);
  expect(watch.becameStuck(5, 9, 59_999)).toBe(false);
  expect(watch.becameStuck(5, 9, 60_000)).toBe(true);
  expect(watch.becameStuck(5, 12, 500_000)).toBe(false);
  expect(watch.becameStuck(12, 14, 500_001)).toBe(false);
  expect(watch.becameStuck(12, 14, 560_001)).toBe(true);
});

test('an idle partition is not stuck', () => {
  const watch = new StableWatch();
  expect(watch.becameStuck(5, 5, 0)).toBe(false);
  expect(watch.becameStuck(5, 5, 3_600_000)).toBe(false);
  expect(watch.becameStuck(5, 6, 3_600_001)).toBe(false);
});

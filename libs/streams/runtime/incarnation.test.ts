import { expect, test } from 'vitest';
import { StableWatch } from './incarnation.ts';

test('returns how long the last stable offset has not moved although records follow it', () => {
  const watch = new StableWatch();
  expect(watch.stuckMs(5, 5, 0)).toBe(0);
  expect(watch.stuckMs(5, 5, 3_600_000), 'an idle partition').toBe(0);
  expect(watch.stuckMs(5, 8, 3_601_000)).toBe(1_000);
  expect(watch.stuckMs(5, 9, 3_625_000)).toBe(25_000);
  expect(watch.stuckMs(7, 9, 3_626_000), 'another transaction').toBe(0);
  expect(watch.stuckMs(9, 9, 3_627_000)).toBe(0);
});

import { expect, test } from 'vitest';
import { SilenceWatch } from './silence.ts';

test('returns the longest time between two records of each partition, and its end', () => {
  const watch = new SilenceWatch(2);
  for (const [partition, at] of [
    [0, 0],
    [1, 0],
    [0, 5_000],
  ] as const)
    watch.seen(partition, at);
  watch.begin();
  for (const [partition, at] of [
    [1, 40],
    [0, 5_040],
    [0, 5_060],
    [1, 2_040],
  ] as const)
    watch.seen(partition, at);
  expect(watch.longest()).toEqual([
    { ms: 2_000, endAt: 2_040 },
    { ms: 40, endAt: 5_040 },
  ]);
});

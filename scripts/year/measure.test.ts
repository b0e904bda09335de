import { expect, test } from 'vitest';
import { judgeGrowth } from './measure.ts';

const DAY = 86_400_000;
const MIB = 1024 * 1024;

/** What a year finds to grow whose measures are these, by day. */
function growing(values: (day: number) => Readonly<Record<string, number>>): string[] {
  const samples = Array.from({ length: 365 }, (_, day) => ({ at: day * DAY, values: values(day) }));
  return judgeGrowth(samples).flatMap(({ what, isFlat }) => (isFlat ? [] : [what]));
}

test('finds what grows between the second and the last quarter, and nothing else', () => {
  const flat = { 'memory of api': 200 * MIB, 'bytes of feed-health': 3 * MIB, files: 900 };
  expect(growing((day) => ({ ...flat, 'metric series of api': 400 + (day % 7) }))).toEqual([]);
  expect(
    growing((day) => ({
      ...flat,
      'memory of api': (200 + day) * MIB,
      'metric series of api': 400 + day,
      'bytes of views for a match': day * 1_000,
      files: 900 + 5 * day,
    })),
  ).toEqual(['memory of api', 'files', 'metric series of api', 'bytes of views for a match']);
});

import { expect, test } from 'vitest';
import { HeapRule, heapOption } from './heap.ts';

test('says once that the heap is nearly full, and once that it has room again', () => {
  const rule = new HeapRule();
  expect([0.84, 0.85, 0.99, 0.75, 0.85, 0.69, 0.5, 0.9].map((share) => rule.collected(share))).toEqual([
    null,
    'full',
    null,
    null,
    null,
    'room',
    null,
    'full',
  ]);
});

test.each([
  [['--max-semi-space-size=8'], null],
  [['--max-old-space-size=64'], 64],
  [['--max_old_space_size 64', '--max-old-space-size=96'], 96],
])('reads the size of the heap from the options %j', (options, size) =>
  expect(heapOption(options)).toBe(size),
);

import { describe, expect, test } from 'vitest';
import { endHeapLimit, HeapRule, heapOption, limitHeapGrowth, ReleaseRule } from './memory.ts';

const MIB = 1024 * 1024;

/** Samples every ten seconds: `look` takes the processor time since the last one, milliseconds, and resident MiB. */
function looking() {
  const rule = new ReleaseRule({ calm: 0.05, worthBytes: 8 * MIB });
  let [at, cpuMs] = [0, 0];
  return {
    rule,
    look(busyMs: number, mib: number): boolean {
      at += 10_000;
      cpuMs += busyMs;
      return rule.isDue({ at, cpuMs, resident: mib * MIB });
    },
  };
}

describe('memory is released', () => {
  test('when the process is idle, neither under load nor before the first sample', () => {
    const { look } = looking();
    expect([look(10, 300), look(5_000, 300), look(500, 300), look(499, 300)]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  test('again only after the process has grown', () => {
    const { rule, look } = looking();
    look(0, 300);
    expect(look(0, 300)).toBe(true);
    rule.collected(150 * MIB);
    expect([look(0, 151), look(0, 158), look(0, 159)]).toEqual([false, false, true]);
  });
});

test('what finished work has left is collected', () => {
  limitHeapGrowth(80);
  const work = Array.from({ length: 500_000 }, (_, id) => ({ id }));
  const { heapUsed } = process.memoryUsage();
  work.length = 0;
  endHeapLimit({ release: true });
  expect(process.memoryUsage().heapUsed).toBeLessThan(heapUsed - 10 * MIB);
});

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

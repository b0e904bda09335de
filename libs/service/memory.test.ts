import { describe, expect, test } from 'vitest';
import { CalmRule } from './memory.ts';

const MIB = 1024 * 1024;

/** Looks every ten seconds: processor time of that stretch in milliseconds, and resident MiB. */
function looking() {
  const rule = new CalmRule({ calm: 0.05, worthBytes: 8 * MIB });
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

describe('memory is given back', () => {
  test('in a calm stretch, not under load and not before one was seen', () => {
    const { look } = looking();
    expect([look(10, 300), look(5_000, 300), look(500, 300), look(499, 300)]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  test('again only once there is more of it', () => {
    const { rule, look } = looking();
    look(0, 300);
    expect(look(0, 300)).toBe(true);
    rule.collected(150 * MIB);
    expect([look(0, 151), look(0, 158), look(0, 159)]).toEqual([false, false, true]);
  });
});

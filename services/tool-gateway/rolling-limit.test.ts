import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RollingLimit } from './rolling-limit.ts';

const START = 1_790_000_000_000;
const WINDOW_MS = 15 * 60_000;

test('admits no more than the limit in any window, whatever is attempted, and says when the next one may come', () => {
  const attempts = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), wait: fc.nat(WINDOW_MS / 3) }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(attempts, fc.integer({ min: 1, max: 5 }), (sequence, limit) => {
      const rate = new RollingLimit(limit, WINDOW_MS);
      const admitted: { key: string; at: number }[] = [];
      let at = START;
      for (const { key, wait } of sequence) {
        at += wait;
        const counted = admitted.filter((one) => one.key === key && one.at > at - WINDOW_MS);
        const waitMs = rate.admit(key, at);
        if (counted.length < limit) {
          expect(waitMs).toBe(0);
          admitted.push({ key, at });
        } else expect(at + waitMs).toBe((counted[0]?.at ?? 0) + WINDOW_MS);
      }
    }),
  );
});

test('a clock that is set back locks a key out for one window at most', () => {
  const rate = new RollingLimit(1, WINDOW_MS);
  expect(rate.admit('a', START)).toBe(0);
  expect(rate.admit('a', START - 60_000)).toBe(WINDOW_MS);
  expect(rate.admit('a', START - WINDOW_MS)).toBe(0);
});

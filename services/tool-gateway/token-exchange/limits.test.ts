import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AttemptLedger, LIMITS, WINDOW_MS } from './limits.ts';

const START = 1_790_000_000_000;

const fill = (ledger: AttemptLedger, subject: string, times: number, at: number): void => {
  for (let n = 0; n < times; n++) expect(ledger.apply(subject, at)).toBeNull();
};

describe('limits of the token exchange', () => {
  test('Token exchange window: 15 minutes (rolling)', () => {
    expect(WINDOW_MS).toBe(15 * 60 * 1000);
    const ledger = new AttemptLedger(2);
    fill(ledger, 'a', 1, START);
    fill(ledger, 'a', 1, START + 60_000);
    expect(ledger.apply('a', START + WINDOW_MS - 1)).toEqual({ retryAt: START + WINDOW_MS });
    // Only the first of the two has expired: the window rolls, it does not restart.
    expect(ledger.apply('a', START + WINDOW_MS)).toBeNull();
    expect(ledger.apply('a', START + WINDOW_MS)).toEqual({ retryAt: START + 60_000 + WINDOW_MS });
  });

  test('Exchanges per IP: 30 per window; per client_id: 10 per window', () => {
    expect(LIMITS).toEqual({ address: 30, client: 10 });
  });

  test('counts attempts that other replicas admitted, even beyond the limit', () => {
    const ledger = new AttemptLedger(3, 1);
    fill(ledger, 'a', 2, START);
    ledger.add('a', START + 1_000, 2);
    expect(ledger.apply('a', START + 2_000)).toEqual({ retryAt: START + WINDOW_MS });
    fill(ledger, 'a', 1, START + WINDOW_MS);
    expect(ledger.apply('a', START + WINDOW_MS)).not.toBeNull();
    // The ledger is full: a new subject is ignored.
    ledger.add('b', START + WINDOW_MS, 1);
    expect(ledger.size).toBe(1);
  });

  test('counts attempts that are not in the log yet', () => {
    const ledger = new AttemptLedger(3);
    fill(ledger, 'a', 1, START);
    expect(ledger.refusal('a', START, 1)).toBeNull();
    expect(ledger.refusal('a', START, 2)).toEqual({ retryAt: START + WINDOW_MS });
    expect(ledger.refusal('b', START, 3)).toEqual({ retryAt: START + WINDOW_MS });
  });
});

describe('a clock that is set back, or a replica that is behind', () => {
  test('still counts attempts, for one window at most', () => {
    const ledger = new AttemptLedger(1);
    fill(ledger, 'a', 1, START);
    expect(ledger.apply('a', START - 60_000)).not.toBeNull();
    expect(ledger.apply('a', START - WINDOW_MS)).toBeNull();
  });
});

describe('a full ledger', () => {
  test('refuses new subjects until the oldest expires; admits known ones', () => {
    const ledger = new AttemptLedger(2, 3);
    for (const [n, subject] of ['a', 'b', 'c'].entries()) fill(ledger, subject, 1, START + n);
    expect(ledger.refusal('d', START + 10)).toEqual({ retryAt: START + WINDOW_MS });
    expect(ledger.apply('d', START + 10)).toEqual({ retryAt: START + WINDOW_MS });
    expect(ledger.apply('a', START + 10)).toBeNull();
    expect(ledger.size).toBe(3);
    expect(ledger.refusal('d', START + WINDOW_MS + 1)).toBeNull();
    expect(ledger.apply('d', START + WINDOW_MS + 1)).toBeNull();
    expect(ledger.size).toBe(3);
  });

  test('refuses a flood in constant time, however many subjects it has', () => {
    const ledger = new AttemptLedger(3, 20_000);
    for (let round = 0; round < 3; round++)
      for (let n = 0; n < 20_000; n++) ledger.apply(`s${n}`, START + round);
    const before = process.threadCpuUsage();
    for (let n = 0; n < 100_000; n++) expect(ledger.refusal(`new${n}`, START + 10) === null).toBe(false);
    // Microseconds of this thread: 0.2 s; searching all subjects takes a hundred times as long.
    expect(process.threadCpuUsage(before).user).toBeLessThan(5_000_000);
  });

  test('drops subjects whose attempts have all expired', () => {
    const ledger = new AttemptLedger(1, 1_000);
    for (let n = 0; n < 10_000; n++) ledger.apply(`s${n}`, START + n * WINDOW_MS);
    expect(ledger.size).toBe(1);
  });
});

test('admits no more than the limit in any window, whatever is attempted', () => {
  const attempts = fc.array(
    fc.record({ subject: fc.constantFrom('a', 'b', 'c'), wait: fc.nat(WINDOW_MS / 3) }),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(attempts, fc.integer({ min: 1, max: 5 }), (sequence, limit) => {
      const ledger = new AttemptLedger(limit);
      const through: { subject: string; at: number }[] = [];
      let at = START;
      for (const { subject, wait } of sequence) {
        at += wait;
        const expected = through.filter((one) => one.subject === subject && one.at > at - WINDOW_MS);
        const refusal = ledger.refusal(subject, at);
        expect(ledger.apply(subject, at)).toEqual(refusal);
        expect(refusal === null).toBe(expected.length < limit);
        if (refusal === null) through.push({ subject, at });
        else expect(refusal.retryAt).toBe((expected[0]?.at ?? 0) + WINDOW_MS);
      }
    }),
  );
});

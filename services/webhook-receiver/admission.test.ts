import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Admission, type AdmissionLimits, SenderConnection } from './admission.ts';
import type { OverloadReason } from './tally.ts';

/** An admission, and connections that record their refusals. */
function opened(limits: Partial<AdmissionLimits>) {
  const admission = new Admission({ maxConnections: 1_000, maxUnprovenBytes: 1_000, ...limits });
  const refused: [name: string, reason: OverloadReason][] = [];
  const enter = (name: string): SenderConnection => {
    const connection = new SenderConnection((reason) => void refused.push([name, reason]));
    admission.enter(connection);
    return connection;
  };
  return { admission, refused, enter };
}

describe('a connection above the limit', () => {
  test('replaces the oldest unproven one', () => {
    const { admission, refused, enter } = opened({ maxConnections: 3 });
    enter('proven').proven = true;
    for (const name of ['a', 'b', 'c', 'd']) enter(name);
    expect(refused).toEqual([
      ['a', 'connections'],
      ['b', 'connections'],
    ]);
    expect(admission.connections).toBe(3);
  });

  test('is refused when all others are proven, until one of these closes', () => {
    const { admission, refused, enter } = opened({ maxConnections: 2 });
    const [first] = ['a', 'b'].map((name) => {
      const connection = enter(name);
      connection.proven = true;
      return connection;
    });
    enter('c');
    expect(refused).toEqual([['c', 'connections']]);
    if (first !== undefined) admission.leave(first);
    enter('d');
    expect(refused).toHaveLength(1);
    expect(admission.connections).toBe(2);
  });
});

describe('bytes above the limit', () => {
  test('replace the body with the most bytes times milliseconds, not that of a new sender', () => {
    const { admission, refused, enter } = opened({});
    const [slow, small, fast] = [enter('slow'), enter('small'), enter('fast')];
    expect(admission.reserve(slow, 400, 0)).toBe(true);
    expect(admission.reserve(small, 10, 0)).toBe(true);
    fast.headReadAt = 1_000;
    expect(admission.reserve(fast, 600, 1_001)).toBe(true);
    expect(refused).toEqual([['slow', 'unproven_bytes']]);
    expect(admission.unprovenBytes).toBe(610);
  });

  test('are refused when their own body is the heaviest', () => {
    const { admission, refused, enter } = opened({});
    expect(admission.reserve(enter('other'), 10, 0)).toBe(true);
    expect(admission.reserve(enter('large'), 2_000, 0)).toBe(false);
    expect(refused).toEqual([['large', 'unproven_bytes']]);
    expect(admission.unprovenBytes).toBe(10);
  });

  test('are taken from a proven connection last', () => {
    const { admission, refused, enter } = opened({});
    const [sender, stranger, another] = [enter('sender'), enter('stranger'), enter('another')];
    sender.proven = true;
    admission.reserve(sender, 800, 0);
    admission.reserve(stranger, 100, 999);
    expect(admission.reserve(another, 300, 1_000)).toBe(false);
    expect(refused).toEqual([['another', 'unproven_bytes']]);
    expect(admission.reserve(stranger, 500, 1_000)).toBe(false);
    expect(admission.unprovenBytes).toBe(800);
  });
});

test('counts open connections and their bytes after each step, and never exceeds the limits', () => {
  const step = fc.record({
    who: fc.nat(9),
    what: fc.constantFrom('reserve', 'release', 'prove', 'leave'),
    bytes: fc.integer({ min: 1, max: 500 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { admission, enter, refused } = opened({ maxConnections: 6 });
      const connections = new Map<number, SenderConnection>();
      for (const [now, { who, what, bytes }] of steps.entries()) {
        const before = refused.length;
        const connection = connections.get(who);
        if (connection === undefined) connections.set(who, enter(String(who)));
        else if (what === 'reserve') admission.reserve(connection, bytes, now);
        else if (what === 'release') admission.release(connection);
        else if (what === 'prove') connection.proven = true;
        else {
          admission.leave(connection);
          connections.delete(who);
        }
        for (const [name] of refused.slice(before)) connections.delete(Number(name));
        const held = [...connections.values()].reduce((sum, one) => sum + one.bytes, 0);
        expect([admission.connections, admission.unprovenBytes]).toEqual([connections.size, held]);
        expect(connections.size).toBeLessThanOrEqual(6);
        expect(held).toBeLessThanOrEqual(1_000);
      }
    }),
  );
});

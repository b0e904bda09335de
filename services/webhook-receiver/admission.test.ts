import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Admission, type AdmissionLimits, Guest, type OverloadReason } from './admission.ts';

/** An admission, and guests that record their refusals. */
function opened(limits: Partial<AdmissionLimits>) {
  const admission = new Admission({ maxConnections: 1_000, maxUnprovenBytes: 1_000, ...limits });
  const refused: [name: string, reason: OverloadReason][] = [];
  const enter = (name: string): Guest => {
    const guest = new Guest((reason) => void refused.push([name, reason]));
    admission.enter(guest);
    return guest;
  };
  return { admission, refused, enter };
}

describe('connections beyond the limit', () => {
  test('replace the oldest unproven one', () => {
    const { admission, refused, enter } = opened({ maxConnections: 3 });
    admission.prove(enter('proven'));
    for (const name of ['a', 'b', 'c', 'd']) enter(name);
    expect(refused).toEqual([
      ['a', 'connections'],
      ['b', 'connections'],
    ]);
    expect(admission.connections).toBe(3);
  });

  test('are refused where all others are proven, until one of these closes', () => {
    const { admission, refused, enter } = opened({ maxConnections: 2 });
    const [first] = ['a', 'b'].map((name) => {
      const guest = enter(name);
      admission.prove(guest);
      return guest;
    });
    enter('c');
    expect(refused).toEqual([['c', 'connections']]);
    if (first !== undefined) admission.leave(first);
    enter('d');
    expect(refused).toHaveLength(1);
    expect(admission.connections).toBe(2);
  });
});

describe('bytes beyond the limit', () => {
  test('replace those that held most for longest, not a newcomer’s', () => {
    const { admission, refused, enter } = opened({});
    const [slow, small, fast] = [enter('slow'), enter('small'), enter('fast')];
    expect(admission.hold(slow, 400, 0)).toBe(true);
    expect(admission.hold(small, 10, 0)).toBe(true);
    fast.since = 1_000;
    expect(admission.hold(fast, 600, 1_001)).toBe(true);
    expect(refused).toEqual([['slow', 'unproven_bytes']]);
    expect(admission.unprovenBytes).toBe(610);
  });

  test('are refused where they weigh most', () => {
    const { admission, refused, enter } = opened({});
    expect(admission.hold(enter('other'), 10, 0)).toBe(true);
    expect(admission.hold(enter('large'), 2_000, 0)).toBe(false);
    expect(refused).toEqual([['large', 'unproven_bytes']]);
    expect(admission.unprovenBytes).toBe(10);
  });

  test('of a proven connection stay while others can make room', () => {
    const { admission, refused, enter } = opened({});
    const [sender, stranger, another] = [enter('sender'), enter('stranger'), enter('another')];
    admission.prove(sender);
    admission.hold(sender, 800, 0);
    admission.hold(stranger, 100, 999);
    expect(admission.hold(another, 300, 1_000)).toBe(false);
    expect(refused).toEqual([['another', 'unproven_bytes']]);
    expect(admission.hold(stranger, 500, 1_000)).toBe(false);
    expect(admission.unprovenBytes).toBe(800);
  });
});

test('counts held bytes and open connections at any time, and never exceeds the limits', () => {
  const step = fc.record({
    who: fc.nat(9),
    what: fc.constantFrom('hold', 'release', 'prove', 'leave'),
    bytes: fc.integer({ min: 1, max: 500 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { admission, enter, refused } = opened({ maxConnections: 6 });
      const guests = new Map<number, Guest>();
      for (const [now, { who, what, bytes }] of steps.entries()) {
        const before = refused.length;
        const guest = guests.get(who);
        if (guest === undefined) guests.set(who, enter(String(who)));
        else if (what === 'hold') admission.hold(guest, bytes, now);
        else if (what === 'release') admission.release(guest);
        else if (what === 'prove') admission.prove(guest);
        else {
          admission.leave(guest);
          guests.delete(who);
        }
        for (const [name] of refused.slice(before)) guests.delete(Number(name));
        const held = [...guests.values()].reduce((sum, one) => sum + one.bytes, 0);
        expect([admission.connections, admission.unprovenBytes]).toEqual([guests.size, held]);
        expect(guests.size).toBeLessThanOrEqual(6);
        expect(held).toBeLessThanOrEqual(1_000);
      }
    }),
  );
});

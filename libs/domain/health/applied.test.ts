import { describe, expect, test } from 'vitest';
import { AppliedPosition, ReadProgress } from './applied.ts';

describe('how far match state is behind in a partition', () => {
  test('is null when every read record is applied', () => {
    const position = new AppliedPosition(10, { offset: 10, at: 0 });
    expect([position.next, position.waitingSince, position.neverRead]).toEqual([10, null, null]);
    position.read(10, 1_000);
    expect(position.waitingSince).toBe(1_000);
    position.applied(11);
    expect([position.next, position.waitingSince]).toEqual([11, null]);
  });

  test('starts with the records before the first read one that are not applied', () => {
    const position = new AppliedPosition(4, { offset: 10, at: 500 });
    expect([position.neverRead, position.waitingSince]).toEqual([{ offset: 9, at: 500 }, 500]);
    position.applied(10);
    expect([position.neverRead, position.waitingSince]).toEqual([null, null]);
  });

  test('counts from the first waiting record, to within a quarter of a second', () => {
    const position = new AppliedPosition(0, { offset: 0, at: 0 });
    for (const [offset, at] of [1_000, 1_249, 1_250, 1_600].entries()) position.read(offset, at);
    const waiting = [0, 1, 2, 3, 4].map((next) => {
      position.applied(next);
      return position.waitingSince;
    });
    // The second record counts as old as the first one.
    expect(waiting).toEqual([1_000, 1_000, 1_250, 1_600, null]);
  });

  test('starts again with the next record once all are applied', () => {
    const position = new AppliedPosition(0, { offset: 0, at: 0 });
    position.read(0, 1_000);
    position.applied(1);
    position.read(1, 1_100);
    expect(position.waitingSince).toBe(1_100);
  });

  test('counts a record that is read again once', () => {
    const position = new AppliedPosition(0, { offset: 0, at: 0 });
    for (const offset of [0, 1, 2, 0]) position.read(offset, 1_000);
    position.applied(2);
    expect(position.waitingSince).toBe(1_000);
    position.applied(3);
    expect(position.waitingSince).toBeNull();
  });

  test('forgets every second of thousands of steps, and overestimates rather than underestimates the wait', () => {
    const position = new AppliedPosition(0, { offset: 0, at: 0 });
    for (let offset = 0; offset <= 4_096; offset++) position.read(offset, 1_000 * (offset + 1));
    position.applied(4_095);
    expect(position.waitingSince).toBe(4_095_000);
    position.applied(4_096);
    expect(position.waitingSince).toBe(4_097_000);
  });
});

describe('how far a partition is read', () => {
  test('is unknown at first', () => {
    const { to, since } = new ReadProgress();
    expect([to, since]).toEqual([Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]);
  });

  test('advances, and is interrupted by a pause of more than two seconds', () => {
    const read = new ReadProgress();
    const steps = [1_000, 3_000, 2_000, 5_000, 7_001].map((at) => {
      read.advance(at);
      return [read.to, read.since];
    });
    expect(steps).toEqual([
      [1_000, 1_000],
      [3_000, 1_000],
      [3_000, 1_000],
      [5_000, 1_000],
      [7_001, 7_001],
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import type { Cause } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { isWhole } from './losses.ts';

const causeAt = (offset: number): Cause => ({ ...sampleOf('match-state').cause, offset });

const evidence = (version: number | null, first: number, last: number | null) => ({
  first: version === null ? null : { version, cause: causeAt(first) },
  last: last === null ? null : causeAt(last),
});

/** An input with the offsets from `start` to before `end`. */
const log = (start: number, end: number) => {
  return { hasMessage: end > start, start, has: ({ offset }: Cause) => offset >= start && offset < end };
};

describe('a match', () => {
  test.each([
    [true, 'has its first and its last message', evidence(1, 5, 9), log(5, 10)],
    [true, 'lost no message, and its first transitions have expired', evidence(4, 7, 9), log(0, 10)],
    [true, 'lost no message, and its transitions', evidence(null, 0, 9), log(0, 10)],
    [false, 'has no message', evidence(1, 5, 9), log(10, 10)],
    [false, 'has neither messages nor a readable record', evidence(null, 0, null), log(0, 0)],
    [false, 'lost its first message', evidence(1, 5, 9), log(6, 10)],
    [false, 'lost its last message', evidence(1, 5, 9), log(0, 9)],
    [false, 'lost its last message, and its transitions', evidence(null, 0, 9), log(0, 9)],
    [false, 'lost the message of its first known transition', evidence(4, 7, 9), log(8, 10)],
    [false, 'has expired transitions, in a log that begins later', evidence(4, 7, 9), log(3, 10)],
    [false, 'has no readable record, in a log that begins later', evidence(null, 0, null), log(3, 10)],
  ] as const)('is surely derived again: %s where it %s', (whole, _, known, input) => {
    expect(isWhole(known, input)).toBe(whole);
  });
});

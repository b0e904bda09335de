import { describe, expect, test } from 'vitest';
import type { Cause } from '#records/types.ts';
import { lostMatches, matchFate } from './losses.ts';

const causeAt = (offset: number): Cause => ({
  topic: 'normalized-messages',
  partition: 0,
  offset,
  ut: 0,
  received_at: 0,
  message_id: String(offset),
});

const evidence = (version: number | null, first: number, last: number | null) => ({
  first: version === null ? null : { version, cause: causeAt(first) },
  last: last === null ? null : causeAt(last),
});

/** An input with the offsets from `start` to before `end`. */
const log = (start: number, end: number) => ({
  hasMessage: end > start,
  start,
  has: ({ offset }: Cause) => offset >= start && offset < end,
});

describe('the fate of a match', () => {
  test.each([
    ['whole', 'has its first and its last message', evidence(1, 5, 9), log(5, 10)],
    ['whole', 'lost no message, and its first transitions have expired', evidence(4, 7, 9), log(0, 10)],
    ['whole', 'lost no message, and its transitions', evidence(null, 0, 9), log(0, 10)],
    ['gone', 'has no message', evidence(1, 5, 9), log(10, 10)],
    ['gone', 'has neither messages nor a readable record', evidence(null, 0, null), log(0, 0)],
    ['cut', 'lost its first message', evidence(1, 5, 9), log(6, 10)],
    ['cut', 'lost its last message', evidence(1, 5, 9), log(0, 9)],
    ['cut', 'lost its last message, and its transitions', evidence(null, 0, 9), log(0, 9)],
    ['cut', 'lost the message of its first known transition', evidence(4, 7, 9), log(8, 10)],
    ['unknown', 'has expired transitions, in a log that begins later', evidence(4, 7, 9), log(3, 10)],
    ['unknown', 'has no readable record, in a log that begins later', evidence(null, 0, null), log(3, 10)],
  ] as const)('is %s where it %s', (fate, _, known, input) => {
    expect(matchFate(known, input)).toBe(fate);
  });
});

test('counts lost matches, as a bound where it is one', () => {
  expect(lostMatches(['whole', 'whole'])).toEqual({ count: 0, text: '' });
  expect(lostMatches(['whole', 'cut'])).toEqual({
    count: 1,
    text: '1 match (1 without the first or last message)',
  });
  expect(lostMatches(['gone', 'cut', 'unknown', 'gone'])).toEqual({
    count: 4,
    text: 'up to 4 matches (2 without any message, 1 without the first or last message, 1 perhaps without the first message)',
  });
});

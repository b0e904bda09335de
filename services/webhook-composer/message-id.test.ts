import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MessageIdParts, messageId, messageUuid } from './message-id.ts';

/** The place encoded in a number. */
function placeOf(id: number): MessageIdParts {
  const eventId = Math.floor(id / 2 ** 27);
  const rest = id % 2 ** 27;
  const transitions = rest % 2 === 0 ? 2 ** 4 : 2 ** 11;
  const place = Math.floor(rest / 2);
  const transition = Math.floor(place / 4);
  return {
    eventId,
    version: Math.floor(transition / transitions),
    n: transition % transitions,
    part: place % 4,
  };
}

const eventIds = fc.oneof(fc.integer({ min: 1, max: 2 ** 26 - 1 }), fc.constantFrom(1, 2 ** 26 - 1));
const few = fc.record({
  eventId: eventIds,
  version: fc.oneof(fc.integer({ min: 1, max: 2 ** 20 - 1 }), fc.constant(2 ** 20 - 1)),
  n: fc.integer({ min: 0, max: 15 }),
  part: fc.integer({ min: 0, max: 2 }),
});
const many = fc.record({
  eventId: eventIds,
  version: fc.oneof(fc.integer({ min: 1, max: 2 ** 13 - 1 }), fc.constant(2 ** 13 - 1)),
  n: fc.oneof(fc.integer({ min: 16, max: 2 ** 11 - 1 }), fc.constant(2 ** 11 - 1)),
  part: fc.integer({ min: 0, max: 2 }),
});

describe('the number of a message', () => {
  test('is a positive safe integer that encodes its place: no other place has it', () => {
    fc.assert(
      fc.property(fc.oneof(few, many), (place) => {
        const id = messageId(place);
        expect(Number.isSafeInteger(id) && (id ?? 0) > 0).toBe(true);
        expect(placeOf(id ?? 0)).toEqual(place);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    { eventId: 2 ** 26, version: 1, n: 0, part: 0 },
    { eventId: 1, version: 2 ** 20, n: 0, part: 0 },
    { eventId: 1, version: 2 ** 13, n: 16, part: 0 },
    { eventId: 1, version: 1, n: 2 ** 11, part: 0 },
  ])('is missing for a place beyond the bounds: %o', (place) => {
    expect(messageId(place)).toBeNull();
  });
});

describe('the text of a message', () => {
  test('is the id of its transition, with a suffix where that gives several messages', () => {
    expect(messageUuid({ eventId: 7, version: 12, n: 3, part: 0 })).toBe('7:12:3');
    expect(messageUuid({ eventId: 7, version: 12, n: 3, part: 2 })).toBe('7:12:3:2');
  });
});

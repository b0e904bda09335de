import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { type MessageIdParts, messageId, messageUuid } from './webhook-messages.ts';

/** Decodes the parts of a number. */
function partsOf(id: number): MessageIdParts {
  const eventId = Math.floor(id / 2 ** 27);
  const rest = id % 2 ** 27;
  const transitions = rest % 2 === 0 ? 2 ** 4 : 2 ** 11;
  const inSplit = Math.floor(rest / 2);
  const transition = Math.floor(inSplit / 4);
  return {
    eventId,
    version: Math.floor(transition / transitions),
    n: transition % transitions,
    part: inSplit % 4,
  };
}

const eventIds = fc.oneof(fc.integer({ min: 1, max: 2 ** 26 - 1 }), fc.constantFrom(1, 2 ** 26 - 1));
/** Parts below these bounds, often the last ones. */
const partsIn = (versions: number, fromN: number, transitions: number) =>
  fc.record({
    eventId: eventIds,
    version: fc.oneof(fc.integer({ min: 1, max: versions - 1 }), fc.constant(versions - 1)),
    n: fc.oneof(fc.integer({ min: fromN, max: transitions - 1 }), fc.constantFrom(fromN, transitions - 1)),
    part: fc.integer({ min: 0, max: 2 }),
  });

describe('the number of a message', () => {
  test('is a positive safe integer that encodes its parts, and so is unique', () => {
    fc.assert(
      fc.property(fc.oneof(partsIn(2 ** 20, 0, 16), partsIn(2 ** 13, 16, 2 ** 11)), (parts) => {
        const id = messageId(parts);
        expect(Number.isSafeInteger(id) && (id ?? 0) > 0).toBe(true);
        expect(partsOf(id ?? 0)).toEqual(parts);
      }),
      { numRuns: rounds(2_000) },
    );
  });

  test.each([
    { eventId: 0, version: 1, n: 0, part: 0 },
    { eventId: 2 ** 26, version: 1, n: 0, part: 0 },
    { eventId: 1, version: 2 ** 20, n: 0, part: 0 },
    { eventId: 1, version: 2 ** 13, n: 16, part: 0 },
    { eventId: 1, version: 1, n: 2 ** 11, part: 0 },
  ])('is null for parts beyond the bounds: %o', (parts) => {
    expect(messageId(parts)).toBeNull();
  });
});

test('the text id of a message is the id of its transition, with a suffix after the first message', () => {
  expect(messageUuid({ eventId: 7, version: 12, n: 3, part: 0 })).toBe('7:12:3');
  expect(messageUuid({ eventId: 7, version: 12, n: 3, part: 2 })).toBe('7:12:3:2');
});

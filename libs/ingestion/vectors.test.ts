import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyMessage, matchState, newMatch } from '#domain/match.ts';
import { causeOf } from '#domain/testing/messages.ts';
import { rounds } from '../../test/support/rounds.ts';
import { expectable, readVectors, VECTOR_FOLDERS, type Vector } from './testing/vectors.ts';

function stateOf({ event_id, messages }: Vector) {
  const match = newMatch(event_id);
  messages.forEach((message, offset) => {
    applyMessage(match, message, causeOf(message, offset));
  });
  return matchState(match);
}

describe.each(VECTOR_FOLDERS)('vectors of %s, through the pure functions', (folder) => {
  const vectors = readVectors(folder);
  describe.each(vectors)('$name: $why', (vector) => {
    test('give the expected state in order', () => {
      expect(expectable(stateOf(vector))).toEqual(vector.expect);
    });

    test('give it in any order, with duplicates', () => {
      const messages = [...vector.messages];
      const redelivered = fc
        .subarray(messages)
        .chain((again) =>
          fc.shuffledSubarray([...messages, ...again], { minLength: messages.length + again.length }),
        );
      fc.assert(
        fc.property(redelivered, (order) => {
          expect(expectable(stateOf({ ...vector, messages: order }))).toEqual(vector.expect);
        }),
        { numRuns: rounds(20) },
      );
    });
  });

  if (vectors.length === 0) {
    test('are missing, so none was checked', () => {
      // A missing folder is an error if VECTORS_DIR names it.
      expect(process.env.VECTORS_DIR).toBeUndefined();
    });
  }
});

import { describe, expect, test } from 'vitest';
import { extraTimePlayed } from './event-facts.ts';

describe('extra time', () => {
  const side = (...results: readonly object[]) => ({ results });
  test.each([
    { played: null, why: 'nobody reports participants', participants: undefined },
    { played: null, why: 'no result of it is reported', participants: [side({ id: 3, value: 1 })] },
    {
      played: false,
      why: 'its results are empty',
      participants: [side({ id: 104, value: '' }, { id: 133, value: null }), side({ id: 134, value: '' })],
    },
    { played: true, why: 'it ended without a goal', participants: [side({ id: 104, value: '0' })] },
    {
      played: true,
      why: 'its first half has a result',
      participants: [side({ id: 134, value: '' }), side({ id: '133', value: 0 })],
    },
    { played: true, why: 'its second half has one', participants: [side({ id: 134, value: 2 })] },
  ])('$played: $why', ({ played, participants }) => {
    expect(extraTimePlayed(participants)).toBe(played);
  });
});

import { describe, expect, test } from 'vitest';
import { extraTimePlayed, readStatusType } from './event-facts.ts';
import { EventRegister } from './event-register.ts';

describe('the status type', () => {
  const typeOf = (...messages: readonly (readonly [ut: number, fields: object])[]) => {
    const register = new EventRegister();
    for (const [ut, fields] of messages)
      register.apply(register.read([JSON.stringify(fields)]), { ut, messageId: null });
    return readStatusType(register);
  };
  const live = { status_id: 33, status_type: 'live', item_status: 'active' };

  test.each([
    ['as reported', 'live', [[1, live]]],
    ['that of the status if none is reported', 'finished', [[1, { status_id: 11 }]]],
    ['unknown of an unknown status', null, [[1, { status_id: 99_999 }]]],
    ['deleted by its own value', 'deleted', [[1, { ...live, status_type: 'deleted' }]]],
    ['deleted by the item status', 'deleted', [[1, { ...live, item_status: 'deleted' }]]],
    [
      'deleted by a message',
      'deleted',
      [
        [2, { action: 'delete' }],
        [1, live],
      ],
    ],
    ['deleted by a message of the same time', 'deleted', [[1, { ...live, action: 'delete' }]]],
    [
      'restored by a later item status',
      'live',
      [
        [2, live],
        [1, { item_status: 'deleted' }],
      ],
    ],
    [
      'restored by a later status',
      'live',
      [
        [2, { action: 'delete' }],
        [3, live],
      ],
    ],
  ] as const)('%s: %s', (_, type, messages) => {
    expect(typeOf(...messages)).toBe(type);
    expect(typeOf(...messages.toReversed())).toBe(type);
  });
});

describe('extra time', () => {
  const side = (...results: readonly object[]) => ({ results });
  test.each<[played: boolean | null, why: string, participants: unknown]>([
    [null, 'no participants are reported', undefined],
    [null, 'no result of extra time is reported', [side({ id: 3, value: 1 })]],
    [
      false,
      'its results are empty',
      [side({ id: 104, value: '' }, { id: 133, value: null }), side({ id: 134, value: '' })],
    ],
    [true, 'it ended without a goal', [side({ id: 104, value: '0' })]],
    [true, 'its first half has a result', [side({ id: 134, value: '' }), side({ id: '133', value: 0 })]],
    [true, 'its second half has one', [side({ id: 134, value: 2 })]],
  ])('%s: %s', (played, _, participants) => {
    expect(extraTimePlayed(participants)).toBe(played);
  });
});

import { describe, expect, test } from 'vitest';
import {
  compareKeys,
  compareMessageIds,
  comparePositions,
  hasResult,
  isFinished,
  type MessageKey,
  positionOf,
  progressOf,
  stageOf,
} from './message-key.ts';

test.each([
  ...[7, 11, 12, 13, 14, 140].map((status) => [status, 'live', true] as const),
  [33, 'finished', true],
  [null, 'finished', true],
  [33, 'live', false],
  [1, 'scheduled', false],
  [3, 'cancelled', false],
  [2, 'interrupted', false],
  [11, 'deleted', true],
  [null, null, false],
] as const)('a match is finished (law 8) status %s of type %s: %s', (status, type, finished) => {
  expect(isFinished(status, type)).toBe(finished);
});

test.each([
  [33, null, 'in_play'],
  [2, null, 'in_play'],
  [null, 'live', 'in_play'],
  [null, 'interrupted', 'in_play'],
  [5, null, 'scheduled'],
  [11, 'live', 'finished'],
  [3, null, null],
  [null, null, null],
] as const)('status %s of type %s is of the stage %s (laws 2 and 9)', (id, type, stage) => {
  expect(stageOf(id, type)).toBe(stage);
});

describe('the progress of a status (law 2)', () => {
  /** Status ids and types in the order of a match; those of a row are equally far. */
  const course: readonly string[][] = [
    ['', '99999'],
    ['1 scheduled', '5', '6 scheduled', '152 live', 'scheduled'],
    ['33 live', '33 scheduled', 'live', '99999 live'],
    ['9'],
    ['34 live'],
    ['48 live'],
    ['35 live'],
    ['37 live'],
    ['36 live'],
    ['142 live'],
    ['16 live', '141 live'],
    ['2 live', 'interrupted'],
    ['3', 'cancelled'],
    ['11 live', '13', '140 live', 'finished', '33 finished', '11 deleted'],
    ['deleted'],
  ];
  const progressAt = (status: string) => {
    const [, id, type = null] = /^(\d+)? ?([a-z]+)?$/.exec(status) ?? [];
    return progressOf(id === undefined ? null : Number(id), type);
  };
  test.each(course.flatMap((row, index) => row.map((status) => [status, index] as const)))(
    'of status %j has the position %i',
    (status, index) => {
      expect(progressAt(status)).toBe(progressAt(course[index]?.[0] ?? ''));
      for (const [before = ''] of course.slice(0, index))
        expect(progressAt(status)).toBeGreaterThan(progressAt(before));
    },
  );

  test('is 0 where the type is not known', () => {
    expect([progressOf(null, 'odd'), progressOf(99_999, 'odd')]).toEqual([0, 0]);
  });
});

describe('the order of messages (law 2)', () => {
  const key = (options: Partial<MessageKey>): MessageKey => {
    return { ut: 1, message_id: null, progress: 0, text: '{}', ...options };
  };

  test.each<[why: string, first: Partial<MessageKey>, later: Partial<MessageKey>]>([
    ['time first', { ut: 1, message_id: 9, progress: 9, text: 'z' }, { ut: 2, message_id: 1 }],
    ['then the id as a number', { message_id: 9, progress: 9, text: 'z' }, { message_id: 10 }],
    ['any other id after all numbers', { message_id: 9, progress: 9, text: 'z' }, { message_id: null }],
    ['then progress', { progress: 9, text: 'z' }, { progress: 10 }],
    ['then the text by code units', { text: 'Z' }, { text: 'a' }],
    ['of equal ids too', { message_id: 9, text: 'a' }, { message_id: 9, text: 'b' }],
  ])('%s', (_, first, later) => {
    expect(compareKeys(key(first), key(later))).toBeLessThan(0);
    expect(compareKeys(key(later), key(first))).toBeGreaterThan(0);
    expect(compareKeys(key(later), key(later))).toBe(0);
    const one = key(first);
    expect(compareKeys(one, one)).toBe(0);
  });

  test('of positions is that of times and ids', () => {
    expect(comparePositions({ ut: 1, message_id: null }, { ut: 2, message_id: 1 })).toBeLessThan(0);
    expect(comparePositions({ ut: 1, message_id: 2 }, { ut: 1, message_id: 1 })).toBeGreaterThan(0);
    expect(comparePositions({ ut: 1, message_id: 2 }, { ut: 1, message_id: 2 })).toBe(0);
    const order = [compareMessageIds(null, 1), compareMessageIds(1, null), compareMessageIds(null, null)];
    expect(order).toEqual([1, -1, 0]);
  });

  test.each([
    ['17', 17],
    ['list-17', null],
    ['b2f1', null],
    ['', null],
    ['-17', null],
    ['9007199254740993', null],
  ])('reads the id %j as %s', (message_id, number) => {
    expect(positionOf({ ut: 5, message_id })).toEqual({ ut: 5, message_id: number });
  });
});

test.each([
  ['finished', 11, 'finished', true],
  ['finished with an unknown status', null, 'finished', true],
  ['awarded', 12, 'finished', true],
  ['abandoned', 7, 'finished', false],
  ['live', 34, 'live', false],
  ['cancelled', 3, 'cancelled', false],
  ['of an unknown status', null, null, false],
])('decides whether a match has a result that is %s', (_, id, type, has) =>
  expect(hasResult(id, type)).toBe(has),
);

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventField } from '#records/types.ts';
import { EventRegister } from './event-register.ts';
import type { MessagePosition } from './message-key.ts';
import { eventOf } from './testing/messages.ts';

/** A message: its time, or its time and id, and the fields of its event. */
type Message = readonly [at: number | readonly [ut: number, id: number], fields: object];

const positionAt = (at: Message[0]): MessagePosition =>
  typeof at === 'number' ? { ut: at, messageId: null } : { ut: at[0], messageId: at[1] };
const apply = (register: EventRegister, [at, fields]: Message) =>
  register.apply(eventOf({ ...fields }), positionAt(at));

function registerOf(...messages: readonly Message[]): EventRegister {
  const register = new EventRegister();
  for (const message of messages) apply(register, message);
  return register;
}

/** The report of a message as the register gives it. */
const reported = ([at, fields]: Message) => {
  const { ut, messageId } = positionAt(at);
  return { ut, message_id: messageId, event: eventOf({ ...fields }) };
};

describe('a field of the event (law 2)', () => {
  test.each<[why: string, first: Message, second: Message, value: unknown, at: number]>([
    ['the later value wins', [1, { round_id: 9 }], [2, { round_id: 1 }], 1, 2],
    ['an earlier value changes nothing', [2, { round_id: 1 }], [1, { round_id: 9 }], 1, 2],
    ['a number and null are compared as JSON', [1, { round_id: 9 }], [1, { round_id: null }], null, 1],
    ['null is a value', [1, { round_id: 1 }], [2, { round_id: null }], null, 2],
    ['an absent field changes nothing', [1, { round_id: 1 }], [2, { area_id: 1 }], 1, 1],
    ['the same value gets its latest time', [1, { round_id: 1 }], [2, { round_id: 1 }], 1, 2],
    ['the later second wins over the higher id', [[1, 9], { round_id: 9 }], [[2, 1], { round_id: 1 }], 1, 2],
  ])('%s, in any order', (_, first, second, value, at) => {
    for (const register of [registerOf(first, second), registerOf(second, first)]) {
      expect(register.value('round_id')).toBe(value);
      expect(register.report('round_id')?.ut).toBe(at);
    }
  });

  test('that the contract does not know is one value as well', () => {
    const register = registerOf([1, { day: [1, 2], gender: 'm' }], [2, { day: { b: 1, a: null } }]);
    expect(register.others()).toEqual({ day: '{"a":null,"b":1}', gender: '"m"' });
    expect(registerOf([1, { day: 1 }], [2, { day: null }]).others().day).toBe('null');
  });

  const fromId = (id: number, fields: object): Message => [[1, id], fields];
  const noId = (fields: object): Message => [1, fields];
  const live = { status_id: 33, status_type: 'live' };
  const over = { status_id: 11, status_type: 'finished' };
  test.each<[why: string, loser: Message, winner: Message]>([
    ['of the higher id', fromId(9, { round_id: 9 }), fromId(10, { round_id: 1 })],
    [
      'of the higher id, whatever its status',
      fromId(9, { ...over, round_id: 9 }),
      fromId(10, { ...live, round_id: 1 }),
    ],
    ['that was polled', fromId(10, { round_id: 9 }), noId({ round_id: 1 })],
    ['that is further in the match', noId({ ...live, round_id: 9 }), noId({ ...over, round_id: 1 })],
    ['that has a status', noId({ round_id: 9 }), noId({ status_id: 1, round_id: 1 })],
    ['with the larger text', noId({ round_id: 10 }), noId({ round_id: 2 })],
    [
      'with the larger text of the whole event',
      noId({ round_id: 2, area_id: 1 }),
      noId({ round_id: 2, area_id: 2, winner_id: 1 }),
    ],
    [
      'with the larger text, where an earlier field decides',
      noId({ area_id: 1, round_id: 9 }),
      noId({ area_id: 2, round_id: 1 }),
    ],
    ['of equal ids with the larger text', fromId(9, { round_id: 1 }), fromId(9, { round_id: 2 })],
  ])('in one second the message wins %s, with all of its fields, in any order', (_, loser, winner) => {
    for (const register of [registerOf(loser, winner), registerOf(winner, loser)])
      for (const [name, value] of Object.entries(winner[1]))
        expect(register.value(name as EventField)).toBe(value);
  });

  test.each(['status_id', 'sport_id', 'competition_id', 'season_id', 'stage_id'] as const)(
    '%s is always known to the provider: null says nothing',
    (name) => {
      const register = registerOf([1, { [name]: 7 }], [2, { [name]: null }]);
      expect(register.value(name)).toBe(7);
      expect(register.report(name)?.ut).toBe(1);
      expect(registerOf([1, { [name]: null }]).value(name)).toBeUndefined();
    },
  );

  test.each(['group_id', 'round_id', 'clock_time', 'name'] as const)(
    '%s may become unknown by null',
    (name) => {
      expect(registerOf([1, { [name]: 7 }], [2, { [name]: null }]).value(name)).toBeNull();
    },
  );
});

describe('a message tells which of its fields another one of its second decides (law 2)', () => {
  const sides = (value: number) => ({
    participants: [{ counter: 1, id: 10, name: `H${value}`, results: [{ id: 2, value }] }],
  });
  const [a, b] = ['area_id', 'round_id'];
  test.each<[why: string, former: Message, later: Message, outranked: string[]]>([
    ['with other values', [[1, 9], { [a]: 1, [b]: 1 }], [[1, 8], { [a]: 2, [b]: 1, winner_id: 1 }], [a, b]],
    ['with the same values', [[1, 9], { [a]: 1, [b]: 1 }], [[1, 8], { [a]: 1, [b]: 1 }], [a, b]],
    ['that the contract does not know', [[1, 9], { day: 1 }], [[1, 8], { day: 2 }], ['day']],
    ['of a side', [[1, 9], sides(1)], [[1, 8], sides(2)], ['participants.1', 'participants.1.results']],
    ['none of an earlier second', [[2, 9], { [a]: 1 }], [[1, 8], { [a]: 2 }], []],
    ['none of an earlier second, with the same values', [[2, 9], { [a]: 1 }], [[1, 8], { [a]: 1 }], []],
    ['none where it comes after', [[1, 8], { [a]: 1 }], [[1, 9], { [a]: 2 }], []],
    ['none of itself', [[1, 8], { [a]: 1 }], [[1, 8], { [a]: 1 }], []],
  ])('%s', (_, former, later, outranked) => {
    expect(apply(registerOf(former), later).outranked).toEqual(outranked);
  });
});

describe('the sides of the event (law 2)', () => {
  const HOME = { counter: 1, id: 10, name: 'H' };
  const AWAY = { counter: 2, id: 20, name: 'A' };
  const two = (value: number) => ({ results: [{ id: 2, value }] });
  /** What the register knows: of each side its own name and the value of its first result. */
  const known = (register: EventRegister) =>
    [1, 2].map((side) => [side, register.side(side)?.name, Number(register.results(side)?.values[0]?.value)]);
  const list = (ut: number, ...participants: unknown[]): Message => [ut, { participants }];
  const both = list(1, { ...HOME, ...two(1) }, { ...AWAY, ...two(2) });

  test.each<[why: string, later: Message, results: readonly [home: number, away: number]]>([
    ['both, with results', list(2, { ...HOME, ...two(3) }, { ...AWAY, ...two(4) }), [3, 4]],
    ['home alone', list(2, { ...HOME, ...two(3) }), [3, 2]],
    ['away alone', list(2, { ...AWAY, ...two(4) }), [1, 4]],
    ['no side', list(2), [1, 2]],
    ['sides without results', list(2, HOME, AWAY), [1, 2]],
    ['sides with no result', list(2, { ...HOME, results: [] }, { ...AWAY, results: [] }), [1, 2]],
    ['null for the list', [2, { participants: null }], [1, 2]],
    ['results without an id of the side', list(2, { counter: 1, ...two(3) }), [3, 2]],
    ['an item with fields but without an id', list(2, { counter: 1, name: 'X', ...two(3) }), [1, 2]],
    ['an item that is no participant', list(2, null, 'x', { ...HOME, counter: null }), [1, 2]],
    ['a negative counter', list(2, { ...HOME, counter: -1, ...two(3) }), [1, 2]],
    ['the same side twice: the first', list(2, { ...HOME, ...two(3) }, { ...HOME, ...two(9) }), [3, 2]],
  ])('keep what a later list leaves out: %s', (_, later, [home, away]) => {
    for (const register of [registerOf(both, later), registerOf(later, both)]) {
      expect(known(register)).toEqual([
        [1, 'H', home],
        [2, 'A', away],
      ]);
    }
  });

  test.each<[why: string, results: readonly unknown[], ...later: Message[]]>([
    ['without results', [2, 1], list(2, { ...AWAY, counter: 1 }, { ...HOME, counter: 2 })],
    ['with results', [4, 3], list(2, { ...AWAY, counter: 1, ...two(4) }, { ...HOME, counter: 2, ...two(3) })],
    [
      'with the results of one team',
      [4, 1],
      list(2, { ...AWAY, counter: 1, ...two(4) }, { ...HOME, counter: 2 }),
    ],
    [
      'and back',
      [1, 4],
      list(2, { ...AWAY, counter: 1, ...two(4) }, { ...HOME, counter: 2 }),
      list(3, HOME, AWAY),
    ],
    [
      'then results that name no team',
      [5, 1],
      list(2, { ...AWAY, counter: 1 }, { ...HOME, counter: 2 }),
      list(3, { counter: 1, ...two(5) }),
    ],
    [
      'with results of one team twice: the first',
      [1, 3],
      list(2, { ...AWAY, ...two(3) }, { ...AWAY, counter: 5, ...two(9) }),
    ],
  ])('keep their results when they change places %s', (_, results, ...later) => {
    const messages = [both, ...later];
    for (const register of [registerOf(...messages), registerOf(...messages.toReversed())]) {
      expect(known(register).map(([, , value]) => value)).toEqual(results);
      expect(known(EventRegister.restore(register.reports()))).toEqual(known(register));
    }
  });

  test('have other fields and results by the message that reported them last, in any order', () => {
    const messages: Message[] = [
      list(1, { ...HOME, ...two(1) }),
      list(2, { ...HOME, name: 'New' }),
      list(3, { counter: 1, ...two(3) }),
    ];
    for (const register of [registerOf(...messages), registerOf(...messages.toReversed())])
      expect(known(register)[0]).toEqual([1, 'New', 3]);
  });

  test('beyond home and away are kept by their counter', () => {
    const register = registerOf(list(1, { ...AWAY, counter: 0 }, { ...HOME, counter: 3 }));
    expect([0, 1, 2, 3].map((counter) => register.side(counter)?.id)).toEqual([20, undefined, undefined, 10]);
  });
});

describe('applying an event', () => {
  test('returns the fields with a new value', () => {
    const register = registerOf([1, { area_id: 1, round_id: 1 }]);
    const nothing = { changed: false, fields: [], outranked: [] };
    expect(apply(register, [1, { area_id: 1, round_id: 1 }])).toEqual(nothing);
    expect(apply(register, [2, { area_id: 1, round_id: 1 }])).toEqual({ ...nothing, changed: true });
    expect(apply(register, [3, { area_id: 1, round_id: 2, winner_id: 1 }])).toEqual({
      changed: true,
      fields: ['round_id', 'winner_id'],
      outranked: [],
    });
    expect(apply(register, [1, { area_id: 7, round_id: 7 }])).toEqual(nothing);
    expect(apply(register, [9, {}])).toEqual(nothing);
    expect(apply(register, [9, { stage_id: null }])).toEqual(nothing);
  });

  test('compares lists by content', () => {
    const details = (value: unknown) => ({ details: [{ id: 16, value }] });
    const register = registerOf([1, details(45)]);
    expect(apply(register, [2, details('45')]).fields).toEqual([]);
    expect(apply(register, [3, details(40)]).fields).toEqual(['details']);
  });

  test('is no change for a copy, but for the same fields from a later message of the second', () => {
    const register = registerOf([[1, 5], { round_id: 1 }]);
    expect(apply(register, [[1, 5], { round_id: 1 }]).changed).toBe(false);
    expect(apply(register, [[1, 4], { round_id: 1 }]).changed).toBe(false);
    expect(apply(register, [[1, 6], { round_id: 1 }])).toEqual({ changed: true, fields: [], outranked: [] });
    expect(register.report('round_id')).toMatchObject({ ut: 1, messageId: 6 });
  });
});

describe('the first report of the end', () => {
  const over = { status_type: 'finished' };
  test.each<[why: string, messages: Message[], first: MessagePosition | null]>([
    ['none', [[1, { status_type: 'live' }]], null],
    ['by the status type', [[2, over]], { ut: 2, messageId: null }],
    ['by the status', [[2, { status_id: 11 }]], { ut: 2, messageId: null }],
    [
      'the earliest of several',
      [
        [3, over],
        [2, over],
        [4, over],
      ],
      { ut: 2, messageId: null },
    ],
    [
      'of one second by its id',
      [
        [[2, 7], over],
        [[2, 5], over],
        [[2, 6], over],
      ],
      { ut: 2, messageId: 5 },
    ],
    [
      'that a later status replaced',
      [
        [5, { status_type: 'scheduled' }],
        [2, over],
      ],
      { ut: 2, messageId: null },
    ],
  ])('%s', (_, messages, first) => {
    const register = registerOf(...messages);
    expect(register.course.firstFinished).toEqual(first);
    expect(EventRegister.restore(register.reports(), register.course).course).toEqual(register.course);
  });

  test('changes the register, even where the status is another by now', () => {
    const register = registerOf([5, { status_type: 'scheduled' }]);
    expect(apply(register, [2, over])).toEqual({ changed: true, fields: [], outranked: [] });
    expect(apply(register, [2, over]).changed).toBe(false);
    expect(apply(register, [3, over]).changed).toBe(false);
    expect(apply(register, [1, over]).changed).toBe(true);
  });
});

describe('the reports', () => {
  test('are the events of the messages that decide a field, oldest first', () => {
    const [first, second, third]: [Message, Message, Message] = [
      [7, { round_id: 1, area_id: 1 }],
      [[3, 9], { area_id: 2, name: 'A' }],
      [8, { area_id: 3 }],
    ];
    expect(registerOf(first, second).reports()).toEqual([reported(second), reported(first)]);
    expect(registerOf(first, second, third).reports()).toEqual([second, first, third].map(reported));
    expect(registerOf(first, [9, { round_id: 2, area_id: 1 }]).reports()).toHaveLength(1);
  });

  test('restore the register', () => {
    const fields = fc.record(
      {
        round_id: fc.option(fc.nat({ max: 3 })),
        name: fc.string({ maxLength: 2 }),
        status_id: fc.constantFrom(1, 33, 11),
        day: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const small = fc.integer({ min: 0, max: 3 });
    const messages = fc.array(fc.tuple(fc.tuple(small, small), fields), { maxLength: 8 });
    fc.assert(
      fc.property(messages, messages, (history, later) => {
        const register = registerOf(...history);
        const restored = EventRegister.restore(register.reports());
        expect(restored.reports()).toEqual(register.reports());
        for (const message of later) {
          apply(register, message);
          apply(restored, message);
        }
        expect(restored.reports()).toEqual(register.reports());
      }),
    );
  });
});

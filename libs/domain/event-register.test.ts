import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#json/canonical-json.ts';
import { DomainError } from './errors.ts';
import { readPart } from './event-parts.ts';
import { EventRegister } from './event-register.ts';
import type { MessagePosition } from './message-key.ts';

/** A message: its time, or its time and id, and the parts of its event. */
type Message = readonly [at: number | readonly [ut: number, id: number], ...parts: object[]];

const positionAt = (at: Message[0]): MessagePosition =>
  typeof at === 'number' ? { ut: at, messageId: null } : { ut: at[0], messageId: at[1] };
const apply = (register: EventRegister, [at, ...parts]: Message) =>
  register.apply(register.read(parts.map((part) => canonicalJson(part))), positionAt(at));

function registerOf(...messages: readonly Message[]): EventRegister {
  const register = new EventRegister();
  for (const message of messages) apply(register, message);
  return register;
}

/** A group of fields as the register gives it; `text`: that of a message that lost other fields since. */
const group = (ut: number, fields: object, text: object | null = null) => ({
  ut,
  json: canonicalJson(fields),
  message_id: null,
  progress: 0,
  text: text === null ? null : canonicalJson(text),
});

describe('a field of the event (law 2)', () => {
  test.each<[why: string, first: Message, second: Message, a: unknown, at: number]>([
    ['the later value wins', [1, { a: 9 }], [2, { a: 1 }], 1, 2],
    ['an earlier value changes nothing', [2, { a: 1 }], [1, { a: 9 }], 1, 2],
    ['text, number and null are compared as JSON', [1, { a: '9' }], [1, { a: null }], null, 1],
    ['null is a value', [1, { a: 1 }], [2, { a: null }], null, 2],
    ['an absent field changes nothing', [1, { a: 1 }], [2, { b: 1 }], 1, 1],
    ['the same value gets its latest time', [1, { a: 1 }], [2, { a: 1 }], 1, 2],
    ['a list is one value', [1, { a: [1, 2] }], [2, { a: [3] }], [3], 2],
    ['the later second wins over the higher id', [[1, 9], { a: 9 }], [[2, 1], { a: 1 }], 1, 2],
  ])('%s, in any order', (_, first, second, a, at) => {
    for (const register of [registerOf(first, second), registerOf(second, first)]) {
      expect(register.json('a')).toBe(canonicalJson(a));
      expect(register.report('a')?.ut).toBe(at);
    }
  });

  const fromId = (id: number, fields: object): Message => [[1, id], fields];
  const noId = (fields: object): Message => [1, fields];
  const live = { status_id: 33, status_type: 'live' };
  const over = { status_id: 11, status_type: 'finished' };
  test.each<[why: string, loser: Message, winner: Message]>([
    ['of the higher id', fromId(9, { a: 9 }), fromId(10, { a: 1 })],
    ['of the higher id, whatever its status', fromId(9, { ...over, a: 9 }), fromId(10, { ...live, a: 1 })],
    ['that was polled', fromId(10, { a: 9 }), noId({ a: 1 })],
    ['that is further in the match', noId({ ...live, a: 9 }), noId({ ...over, a: 1 })],
    ['that has a status', noId({ a: 9 }), noId({ status_id: 1, a: 1 })],
    ['with the larger text', noId({ a: 10 }), noId({ a: 2 })],
    ['with the larger text of the whole event', noId({ a: 2, b: 1 }), noId({ a: 2, b: 2, c: 1 })],
    ['with the larger text, where an earlier field decides', noId({ _: 1, a: 9 }), noId({ _: 2, a: 1 })],
    ['of equal ids with the larger text', fromId(9, { a: 1 }), fromId(9, { a: 2 })],
  ])('in one second the message wins %s, with all of its fields, in any order', (_, loser, winner) => {
    const expected = registerOf(winner).grouped();
    for (const register of [registerOf(loser, winner), registerOf(winner, loser)]) {
      expect(register.value('a')).toBe((winner[1] as { a: unknown }).a);
      const kept = register.grouped().filter(({ json }) => json !== expected[0]?.json);
      for (const { json } of kept) {
        for (const name of Object.keys(JSON.parse(json))) expect(winner[1]).not.toHaveProperty(name);
      }
    }
  });

  test.each(['status_id', 'status_type', 'sport_id', 'competition_id', 'season_id', 'stage_id'])(
    '%s is always known to the provider: null says nothing',
    (name) => {
      const register = registerOf([1, { [name]: 7 }], [2, { [name]: null }]);
      expect(register.value(name)).toBe(7);
      expect(register.report(name)?.ut).toBe(1);
      expect(registerOf([1, { [name]: null }]).json(name)).toBeUndefined();
    },
  );

  test.each(['group_id', 'round_id', 'clock_time', 'name'])('%s may become unknown by null', (name) => {
    expect(registerOf([1, { [name]: 7 }], [2, { [name]: null }]).value(name)).toBeNull();
  });
});

describe('a message tells which of its fields another one of its second decides (law 2)', () => {
  const sides = (value: number) => ({
    participants: [{ counter: 1, id: 10, name: `H${value}`, results: [{ id: 2, value }] }],
  });
  test.each<[why: string, former: Message, later: Message, outranked: string[]]>([
    ['with other values', [[1, 9], { a: 1, b: 1 }], [[1, 8], { a: 2, b: 1, c: 1 }], ['a', 'b']],
    ['with the same values', [[1, 9], { a: 1, b: 1 }], [[1, 8], { a: 1, b: 1 }], ['a', 'b']],
    ['of a side', [[1, 9], sides(1)], [[1, 8], sides(2)], ['participants.1', 'participants.1.results']],
    ['none of an earlier second', [[2, 9], { a: 1 }], [[1, 8], { a: 2 }], []],
    ['none of an earlier second, with the same values', [[2, 9], { a: 1 }], [[1, 8], { a: 1 }], []],
    ['none where it comes after', [[1, 8], { a: 1 }], [[1, 9], { a: 2 }], []],
    ['none of itself', [[1, 8], { a: 1 }], [[1, 8], { a: 1 }], []],
  ])('%s', (_, former, later, outranked) => {
    expect(apply(registerOf(former), later).outranked).toEqual(outranked);
  });
});

test('a part that repeats decides again the field that another message took from it', () => {
  const whole: Message = [1, { x: 1 }, { a: 1, b: 1 }];
  const register = registerOf(whole, [2, { b: 2 }]);
  expect(apply(register, [3, { x: 1 }, { a: 1, b: 1 }]).fields).toEqual(['b']);
  expect(register.value('b')).toBe(1);
  expect(register.report('b')?.ut).toBe(3);
});

describe('the sides of the event (law 2)', () => {
  const HOME = { counter: 1, id: 10, name: 'H' };
  const AWAY = { counter: 2, id: 20, name: 'A' };
  const two = (value: number) => ({ results: [{ id: 2, value }] });
  /** What the register knows: of each side its own name and the value of its first result. */
  const known = (register: EventRegister) =>
    [1, 2].map((side) => [
      side,
      JSON.parse(register.side(side)?.json ?? '{}').name,
      JSON.parse(register.results(side)?.field.json ?? '[{}]')[0].value,
    ]);
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
      expect(known(EventRegister.restore(register.grouped()))).toEqual(known(register));
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
    expect([0, 1, 2, 3].map((counter) => register.side(counter)?.team)).toEqual([
      20,
      undefined,
      undefined,
      10,
    ]);
  });

  test('are restored from the grouped fields', () => {
    const register = registerOf(both, list(2, { ...HOME, name: 'New' }), list(3, { counter: 2, ...two(5) }));
    const groups = register.grouped();
    const away = '{"counter":2,"id":20,"name":"A","results":[{"id":2,"value":2}]}';
    expect(groups.map(({ ut, json }) => [ut, json])).toEqual([
      [1, `{"participants":[{"counter":1,"results":[{"id":2,"value":1}],"results_of":10},${away}]}`],
      [2, '{"participants":[{"counter":1,"id":10,"name":"New"}]}'],
      [3, '{"participants":[{"counter":2,"results":[{"id":2,"value":5}]}]}'],
    ]);
    const restored = EventRegister.restore(groups);
    expect(known(restored)).toEqual(known(register));
    expect(restored.grouped()).toEqual(groups);
  });
});

describe('applying an event', () => {
  test('returns the fields with a new value', () => {
    const register = registerOf([1, { a: 1, b: 1 }]);
    expect(apply(register, [1, { a: 1, b: 1 }])).toEqual({ changed: false, fields: [], outranked: [] });
    expect(apply(register, [2, { a: 1, b: 1 }])).toEqual({ changed: true, fields: [], outranked: [] });
    expect(apply(register, [3, { a: 1, b: 2, c: 1 }])).toEqual({
      changed: true,
      fields: ['b', 'c'],
      outranked: [],
    });
    expect(apply(register, [1, { a: 7, b: 7 }])).toEqual({ changed: false, fields: [], outranked: [] });
    expect(apply(register, [9, {}])).toEqual({ changed: false, fields: [], outranked: [] });
    expect(apply(register, [9, { stage_id: null }])).toEqual({ changed: false, fields: [], outranked: [] });
  });

  test('is no change for a copy, but for the same fields from a later message of the second', () => {
    const register = registerOf([[1, 5], { a: 1 }]);
    expect(apply(register, [[1, 5], { a: 1 }]).changed).toBe(false);
    expect(apply(register, [[1, 4], { a: 1 }]).changed).toBe(false);
    expect(apply(register, [[1, 6], { a: 1 }])).toEqual({ changed: true, fields: [], outranked: [] });
    expect(register.report('a')).toMatchObject({ ut: 1, messageId: 6 });
  });

  test('updates the time of a repeated part, but only for fields whose value it still determines', () => {
    const part = { a: 1, b: 1 };
    const register = registerOf([1, part], [5, { b: 2 }], [3, part]);
    expect(register.grouped()).toEqual([group(3, { a: 1 }, part), group(5, { b: 2 })]);
  });

  test('does not update the time of a field whose value another part of the message now determines', () => {
    const part = { a: 1, b: 1 };
    const register = registerOf([1, {}, part], [5, { b: 2 }], [7, {}, part], [8, { b: 3 }], [8, {}, part]);
    expect(register.grouped()).toEqual([group(8, { a: 1 }, part), group(8, { b: 3 })]);
  });

  test('rejects a part that is not a JSON object, and changes nothing', () => {
    const register = registerOf([1, { a: 1 }]);
    for (const text of ['', '{"a":', '[1]', 'null']) {
      const refusal = expect(() => register.read(['{"a":2}', text]), text);
      refusal.toThrow(DomainError);
      refusal.toThrow(expect.objectContaining({ code: 'UNREADABLE_EVENT' }));
    }
    expect(register.grouped()).toEqual([group(1, { a: 1 })]);
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
    expect(EventRegister.restore(register.grouped(), register.course).course).toEqual(register.course);
  });

  test('changes the register, even where the status is another by now', () => {
    const register = registerOf([5, { status_type: 'scheduled' }]);
    expect(apply(register, [2, over])).toEqual({ changed: true, fields: [], outranked: [] });
    expect(apply(register, [2, over]).changed).toBe(false);
    expect(apply(register, [3, over]).changed).toBe(false);
    expect(apply(register, [1, over]).changed).toBe(true);
  });
});

test('reads a part alike, whatever part of another event was read before', () => {
  const value = fc.oneof(fc.integer(), fc.string({ maxLength: 3 }), fc.jsonValue());
  const side = fc.record({ counter: fc.nat({ max: 2 }), id: fc.nat(), results: fc.array(fc.nat()) });
  const fields = fc.record(
    { name: value, sport_id: value, stage_id: value, participants: fc.oneof(value, fc.array(side)) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fields, { maxLength: 6 }), (all) => {
      for (const event of all) {
        const inFull = new EventRegister();
        inFull.apply([readPart(canonicalJson(event))], positionAt(1));
        expect(registerOf([1, event]).grouped()).toEqual(inFull.grouped());
        if (event.name !== undefined) {
          expect(inFull.json('name')).toBe(canonicalJson(event.name));
          expect(inFull.value('name')).toEqual(JSON.parse(canonicalJson(event.name)));
        }
      }
    }),
    { numRuns: 500 },
  );
});

describe('the grouped fields', () => {
  test('are canonical JSON, grouped by message, oldest first', () => {
    const whole = { a: 1, z: 0 };
    const register = registerOf([7, { z: 1, c: { y: [], x: '}' } }, { b: '"' }], [3, whole]);
    expect(register.grouped()).toEqual([
      group(3, { a: 1 }, whole),
      { ...group(7, {}), json: '{"b":"\\"","c":{"x":"}","y":[]},"z":1}' },
    ]);
  });

  test('have the position and progress of their message', () => {
    expect(registerOf([[7, 42], { status_id: 34 }]).grouped()).toMatchObject([
      { ut: 7, message_id: 42, progress: 4, text: null },
    ]);
  });

  test('keep the text of a message while another one holds some of its fields, and of one that says nothing', () => {
    const whole = { a: 1, b: 1 };
    expect(registerOf([1, whole], [2, { b: 2 }], [3, { a: 3 }]).grouped()).toEqual([
      group(2, { b: 2 }),
      group(3, { a: 3 }),
    ]);
    const vague = { a: 1, stage_id: null };
    expect(registerOf([1, vague]).grouped()).toEqual([group(1, { a: 1 }, vague)]);
  });

  test('do not depend on the parts of the messages', () => {
    expect(registerOf([1, { a: 1, b: 2, c: 3 }]).grouped()).toEqual(
      registerOf([1, { c: 3 }, { a: 1, b: 2 }]).grouped(),
    );
  });

  test('restore the register', () => {
    const messages = fc.array(
      fc.tuple(
        fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })),
        fc.dictionary(fc.string({ maxLength: 2 }), fc.jsonValue(), { maxKeys: 3 }),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(messages, messages, (history, later) => {
        const register = registerOf(...history);
        const restored = EventRegister.restore(register.grouped());
        expect(restored.grouped()).toEqual(register.grouped());
        for (const message of later) {
          apply(register, message);
          apply(restored, message);
        }
        expect(restored.grouped()).toEqual(register.grouped());
      }),
    );
  });
});

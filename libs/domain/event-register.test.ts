import { describe, expect, test } from 'vitest';
import { EventRegister } from './event-register.ts';
import type { MessagePosition } from './message-key.ts';
import { eventOf } from './testing/messages.ts';

/** A message: its time, or its time and id, and the fields of its event. */
type Message = readonly [at: number | readonly [ut: number, id: number], fields: object];

const positionAt = (at: Message[0]): MessagePosition =>
  typeof at === 'number' ? { ut: at, message_id: null } : { ut: at[0], message_id: at[1] };
const apply = (register: EventRegister, [at, fields]: Message) =>
  register.apply(eventOf({ ...fields }), positionAt(at));

function registerOf(...messages: readonly Message[]): EventRegister {
  const register = new EventRegister();
  for (const message of messages) apply(register, message);
  return register;
}

/** The report of a message as the register gives it. */
const reported = ([at, fields]: Message) => {
  const { ut, message_id } = positionAt(at);
  return { ut, message_id, event: eventOf({ ...fields }) };
};

test('of one second without ids the message with the larger text wins, with all of its fields', () => {
  const [smaller, larger]: [Message, Message] = [
    [1, { area_id: 1, round_id: 9, bfs: 7 }],
    [1, { area_id: 2, round_id: 1, bfs: { b: 1, a: null } }],
  ];
  for (const register of [registerOf(smaller, larger), registerOf(larger, smaller)]) {
    expect([register.value('area_id'), register.value('round_id')]).toEqual([2, 1]);
    expect(register.others()).toEqual({ bfs: '{"a":null,"b":1}' });
    expect(register.reports()).toEqual([reported(larger)]);
  }
});

describe('the sides of the event (law 2)', () => {
  const HOME = { counter: 1, id: 10, name: 'H' };
  const AWAY = { counter: 2, id: 20, name: 'A' };
  const two = (value: number) => ({ results: [{ id: 2, value }] });
  const list = (ut: number, ...participants: unknown[]): Message => [ut, { participants }];
  const both = list(1, { ...HOME, ...two(1) }, { ...AWAY, ...two(2) });
  const exchanged = list(2, { ...AWAY, counter: 1, ...two(4) }, { ...HOME, counter: 2 });

  test.each<[why: string, sides: string, ...later: Message[]]>([
    ['sides without results', 'H1 A2', list(2, HOME, AWAY)],
    ['results without an id', 'H3 A2', list(2, { counter: 1, ...two(3) })],
    ['no counter, or nothing said', 'H1 A2', list(2, { ...HOME, counter: null }, { counter: 1 })],
    ['a side twice: the first', 'H3 A2', list(2, { ...HOME, ...two(3) }, { ...HOME, ...two(9) })],
    [
      'another team of the same counter: the first',
      'H3 A2',
      list(2, { ...HOME, ...two(3) }, { ...AWAY, counter: 1, ...two(9) }),
    ],
    ['twice: the lower one', 'H1 A3', list(2, { ...AWAY, counter: 5, ...two(9) }, { ...AWAY, ...two(3) })],
    ['exchanged, with results of one', 'A4 H1', exchanged],
    ['exchanged and back', 'H1 A4', exchanged, list(3, HOME, AWAY)],
    ['results that name no team', 'A5 H1', exchanged, list(3, { counter: 1, ...two(5) })],
  ])('keep what a later list leaves out, and the results of their teams: %s', (_, sides, ...later) => {
    const messages = [both, ...later];
    for (const register of [registerOf(...messages), registerOf(...messages.toReversed())]) {
      const first = register.sides().slice(0, 2);
      expect(first.map(({ name, results }) => `${name}${results[0]?.value}`).join(' ')).toBe(sides);
      for (const known of [register, EventRegister.restore(register.reports())]) {
        const shown = [1, 2].map(
          (side) => `${known.side(side)?.name}${known.results(side)?.value[0]?.value}`,
        );
        expect(shown.join(' ')).toBe(sides);
      }
    }
  });
});

describe('a message tells which of its fields another one of its second decides (law 2)', () => {
  const sides = (value: number) => ({
    participants: [{ counter: 1, id: 10, name: `H${value}`, results: [{ id: 2, value }] }],
  });
  const team = (id: number) => ({ participants: [{ counter: 1, id }] });
  const unnamed = { participants: [{ counter: 1, results: [{ id: 2, value: 2 }] }] };
  const [side, results] = ['participants.1', 'participants.1.results'];
  const [a, b] = ['area_id', 'round_id'];
  test.each<[why: string, former: Message, later: Message, outranked: string[]]>([
    ['with other values', [[1, 9], { [a]: 1, [b]: 1 }], [[1, 8], { [a]: 2, [b]: 1, winner_id: 1 }], [a, b]],
    ['with the same values', [[1, 9], { [a]: 1, [b]: 1 }], [[1, 8], { [a]: 1, [b]: 1 }], [a, b]],
    ['that the contract does not know', [[1, 9], { bfs: 1 }], [[1, 8], { bfs: 2 }], ['bfs']],
    ['of a side', [[1, 9], sides(1)], [[1, 8], sides(2)], [side, results]],
    ['of a side, whose results the other leaves out', [[1, 9], team(10)], [[1, 8], sides(2)], [side]],
    ['of a side that is of another team', [[1, 9], team(20)], [[1, 8], sides(2)], [side, results]],
    ['of results that name no team', [[1, 9], sides(1)], [[1, 8], unnamed], [results]],
    ['none of results that name no team, beside none', [[1, 9], team(10)], [[1, 8], unnamed], []],
    ['none of an earlier second', [[2, 9], { [a]: 1 }], [[1, 8], { [a]: 2 }], []],
    ['none of an earlier second, with the same values', [[2, 9], { [a]: 1 }], [[1, 8], { [a]: 1 }], []],
    ['none where it comes after', [[1, 8], { [a]: 1 }], [[1, 9], { [a]: 2 }], []],
    ['none of itself', [[1, 8], { [a]: 1 }], [[1, 8], { [a]: 1 }], []],
  ])('%s', (_, former, later, outranked) => {
    expect(apply(registerOf(former), later).outranked).toEqual(outranked);
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
    expect(register.report('round_id')).toMatchObject({ ut: 1, message_id: 6 });
  });
});

test('the first report of the end, or the last of the beginning, changes the register, even where the status is another by now', () => {
  const over = { status_type: 'finished' };
  const register = registerOf([5, { status_type: 'scheduled' }]);
  expect(apply(register, [2, over])).toEqual({ changed: true, fields: [], outranked: [] });
  expect(apply(register, [2, over]).changed).toBe(false);
  expect(apply(register, [3, over]).changed).toBe(false);
  expect(apply(register, [1, over]).changed).toBe(true);
  const finished = registerOf([5, over]);
  expect(apply(finished, [2, { status_type: 'scheduled' }])).toMatchObject({ changed: true, fields: [] });
  expect(apply(finished, [2, { status_type: 'scheduled' }]).changed).toBe(false);
});

test('the reports are the events of the messages that decide a field, oldest first', () => {
  const [first, second, third]: [Message, Message, Message] = [
    [7, { round_id: 1, area_id: 1 }],
    [[3, 9], { area_id: 2, name: 'A' }],
    [8, { area_id: 3 }],
  ];
  expect(registerOf(first, second).reports()).toEqual([reported(second), reported(first)]);
  expect(registerOf(first, second, third).reports()).toEqual([second, first, third].map(reported));
  expect(registerOf(first, [9, { round_id: 2, area_id: 1 }]).reports()).toHaveLength(1);
  expect(registerOf([1, { odd: 1 }]).reports()).toHaveLength(1);
});

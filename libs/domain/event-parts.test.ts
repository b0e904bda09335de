import { describe, expect, test } from 'vitest';
import { readAtIndex, readPart } from './event-parts.ts';
import { joinSides } from './event-sides.ts';

const HOME = { counter: 1, id: 10, name: 'H' };
const of = (participants: unknown) => readPart(JSON.stringify({ participants }));
const brief = (participants: unknown) =>
  of(participants).fields.map(({ side, isResults, json }) => [side, isResults, JSON.parse(json)]);

test.each([
  ['{', 'an event part is not JSON'],
  ['[]', 'an event part is not a JSON object'],
])('refuses the part %s', (text, message) => {
  expect(() => readPart(text)).toThrow(
    expect.objectContaining({ name: 'DomainError', code: 'UNREADABLE_EVENT', message }),
  );
});

describe('a part of an event', () => {
  test('has its fields as canonical JSON, its progress, and the stage that it reports', () => {
    expect(readPart('{"a":{"x":1,"b":2},"status_id":34}')).toMatchObject({
      fields: [
        { name: 'a', member: '"a":', json: '{"b":2,"x":1}', side: null },
        { name: 'status_id', json: '34' },
      ],
      isExact: true,
      progress: 4,
      stage: 'in_play',
    });
    expect(readPart('{"status_type":"finished"}')).toMatchObject({ progress: 30, stage: 'finished' });
    expect(readPart('{"status_id":"13"}')).toMatchObject({ progress: 30, stage: 'finished' });
    expect(readPart('{"status_id":5}')).toMatchObject({ progress: 1, stage: 'scheduled' });
    expect(readPart('{"status_type":"interrupted"}')).toMatchObject({ progress: 20, stage: 'in_play' });
    expect(readPart('{"name":"A"}')).toMatchObject({ progress: 0, stage: null });
    expect(readPart('{"name":"finished"}')).toMatchObject({ progress: 0, stage: null });
  });

  test('is not exact where it has something that says nothing', () => {
    expect(readPart('{"name":"A","sport_id":null}')).toMatchObject({
      isExact: false,
      fields: [{ name: 'name' }],
    });
    expect(readPart('{"name":null}')).toMatchObject({ isExact: true, fields: [{ json: 'null' }] });
    expect(of([{ ...HOME, results: [{ id: 2 }] }]).isExact).toBe(true);
    expect(of([{ ...HOME, results: [] }]).isExact).toBe(false);
    expect(of([HOME]).isExact).toBe(true);
    expect(of([HOME, null]).isExact).toBe(false);
    expect(of([]).isExact).toBe(false);
    expect(of(null).isExact).toBe(false);
  });

  test('has the sides in the order of their counters, of each the results last', () => {
    const results = [{ id: 2, value: 1 }];
    expect(
      brief([
        { ...HOME, counter: 2, results },
        { ...HOME, results: [] },
      ]),
    ).toEqual([
      [1, false, HOME],
      [2, false, { ...HOME, counter: 2 }],
      [2, true, results],
    ]);
    expect(brief([{ counter: 1, results }])).toEqual([[1, true, results]]);
    expect(brief([{ counter: 0, id: '7' }])).toEqual([[0, false, { counter: 0, id: '7' }]]);
  });

  test.each([
    ['without a counter', { id: 10, results: [{ id: 2 }] }],
    ['with a negative counter', { id: 10, counter: -1 }],
    ['with fields but no id', { counter: 1, name: 'H', results: [{ id: 2 }] }],
    ['with nothing', { counter: 1 }],
    ['that is no object', 7],
  ])('has no side of a participant %s', (_, item) => {
    expect(of([item]).fields).toEqual([]);
    // Nor does it stand for its side.
    expect(brief([item, HOME])).toEqual([[1, false, HOME]]);
  });

  test('gives the list again from its fields', () => {
    const list = [
      { ...HOME, results: [{ id: 2 }] },
      { counter: 2, results: [{ id: 3 }] },
      { counter: 3, id: 30 },
    ];
    expect(JSON.parse(joinSides(of(list).fields))).toEqual(list);
  });

  test('is read by the fields of the one before, with the same result', () => {
    const before = readPart('{"a":1,"b":"x"}');
    for (const text of [
      '{"a":2,"b":"y"}',
      '{"a":1,"b":"x"}',
      '{"a":[1],"b":"y"}',
      '{"a":1}',
      '{"a":1,"b":"x","c":1}',
    ]) {
      expect(readAtIndex(text, 0, before)).toEqual(readPart(text));
    }
    expect(readAtIndex('{"a":1,"b":"z"}', 0, before).fields[0]).toBe(before.fields[0]);
    expect(readAtIndex('{"a":9,"b":"x"}', 0, before).fields[1]).toBe(before.fields[1]);
    const inexact = readPart('{"name":"A","sport_id":null}');
    expect(readAtIndex('{"name":"B"}', 0, inexact)).toEqual(readPart('{"name":"B"}'));
    const away = { ...HOME, id: 12, counter: 2, results: [{ id: 2, value: 1 }] };
    const both = of([{ ...HOME, results: [{ id: 2, value: 0 }] }, away]);
    const goal = `{"participants":${JSON.stringify([{ ...HOME, results: [{ id: 2, value: 1 }] }, away])}}`;
    expect(readAtIndex(goal, 0, both)).toEqual(readPart(goal));
    expect(readAtIndex(goal, 0, both).fields[2]).toBe(both.fields[2]);
    const sides = of([HOME]);
    const other = '{"participants":[{"counter":1,"id":11,"name":"H"}]}';
    expect(readAtIndex(other, 0, sides)).toEqual(readPart(other));
  });
});

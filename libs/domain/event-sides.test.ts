import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#json/canonical-json.ts';
import { readPart } from './event-parts.ts';
import { readSidesByTemplate } from './event-sides.ts';

const textOf = (...participants: readonly object[]) => canonicalJson({ participants });
const result = (value: unknown) => [{ id: 2, value }];
const side = (counter: number, results: unknown, own: object = {}) => ({
  counter,
  id: counter * 10,
  name: 'A',
  zone: 'last',
  ...own,
  ...(results === undefined ? {} : { results }),
});
const before = [side(1, result(0)), side(2, result(0))];
const read = (...participants: readonly object[]) =>
  readSidesByTemplate(textOf(...participants), readPart(textOf(...before)).fields);

describe('the sides of a message are read by those before', () => {
  test.each([
    ['nothing', before],
    ['the results of home', [side(1, result(1)), side(2, result(0))]],
    ['the results of away', [side(1, result(0)), side(2, result(12))]],
    ['the results of both', [side(1, result(2)), side(2, [{ id: 2 }, { id: 3 }])]],
  ])('where %s differ', (_, now) => {
    const expected = readPart(textOf(...now)).fields;
    expect(read(...now)).toEqual(expected);
    expect(expected).toHaveLength(4);
  });

  test('and keep the fields that are the same', () => {
    const { fields } = readPart(textOf(...before));
    const now = readSidesByTemplate(textOf(side(1, result(0)), side(2, result(9))), fields);
    expect(now?.[0]).toBe(fields[0]);
    expect(now?.[1]).toBe(fields[1]);
    expect(now?.[2]?.json).toBe(fields[2]?.json);
  });

  test.each([
    ['has another name', [side(1, result(0), { name: 'B' }), side(2, result(0))]],
    ['has another name and other results', [side(1, result(1)), side(2, result(1), { zone: 'x' })]],
    ['is missing', [side(1, result(0))]],
    ['is new', [...before, side(3, result(0))]],
    ['has no results', [side(1, undefined), side(2, result(0))]],
    ['has an empty list of results', [side(1, []), side(2, result(0))]],
    ['has no list as results', [side(1, { id: 2 }), side(2, result(0))]],
    ['has a list in its results', [side(1, result(0)), side(2, result(0), { yard: [] })]],
  ])('not where a side %s', (_, now) => {
    expect(read(...now)).toBeNull();
  });

  test.each([
    ['of another field', '{"participants_of":[]}'],
    ['that ends early', textOf(...before).slice(0, -1)],
    ['that goes on', textOf(...before).replace(/}$/, ',"round_id":1}')],
    [
      'that goes on after new results',
      textOf(side(1, result(0)), side(2, result(1))).replace(/}$/, ',"x":1}'),
    ],
  ])('not from a text %s', (_, text) => {
    expect(readSidesByTemplate(text, readPart(textOf(...before)).fields)).toBeNull();
  });

  test.each([
    ['had no results', [side(1, undefined), side(2, undefined)]],
    ['had nothing but results', [{ counter: 1, results: result(0) }, side(2, result(0))]],
  ])('not where a side %s', (_, template) => {
    const { fields } = readPart(textOf(...template));
    expect(readSidesByTemplate(textOf(...before), fields)).toBeNull();
  });

  test('with the results of the side, not with equal ones inside another field', () => {
    const inner = (value: unknown) => ({ a: { results: result(0), z: 1 }, x: { results: result(value) } });
    const { fields } = readPart(textOf(side(1, result(0), inner(0)), side(2, result(0), inner(0))));
    const now = textOf(side(1, result(5), inner(0)), side(2, result(0), inner(0)));
    expect(readSidesByTemplate(now, fields)).toEqual(readPart(now).fields);
    const other = textOf(side(1, result(0), inner(5)), side(2, result(0), inner(0)));
    expect(readSidesByTemplate(other, fields)).toBeNull();
  });

  test('with results that are the first or the last member of the side', () => {
    const of = (value: unknown) => [
      { counter: 1, id: 10, results: result(value) },
      { counter: 2, id: 20, results: result(value) },
    ];
    const { fields } = readPart(textOf(...of(0)));
    expect(readSidesByTemplate(textOf(...of(3)), fields)).toEqual(readPart(textOf(...of(3))).fields);
  });

  test('with the same result as in full, whatever they are', () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<unknown>(result(1), result('"},{'), []),
    );
    const one = fc.record(
      { counter: fc.constantFrom(1, 2), id: fc.constantFrom(1, null), name: value, results: value },
      {
        requiredKeys: ['counter'],
      },
    );
    fc.assert(
      fc.property(fc.array(one, { maxLength: 3 }), fc.array(one, { maxLength: 3 }), (former, now) => {
        const template = readPart(textOf(...former));
        const text = textOf(...now);
        const fields = template.isExact ? readSidesByTemplate(text, template.fields) : null;
        if (fields !== null) expect({ ...template, text, fields }).toEqual(readPart(text));
      }),
    );
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonElements } from './json-elements.ts';

const cut = (text: string): string[] => jsonElements(Buffer.from(text)).map(String);

test('splits at the top level only, and copies each element unchanged', () => {
  expect(cut(' [ {"a" : [1, 2]} , "x,]\\"[" ,\n3, [ [] ], null ] ')).toEqual([
    '{"a" : [1, 2]}',
    '"x,]\\"["',
    '3',
    '[ [] ]',
    'null',
  ]);
});

test('finds the elements of any array', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue({ stringUnit: 'binary' }), { minLength: 1 }),
      fc.constantFrom(0, 2),
      (array, indent) => {
        const body = Buffer.from(JSON.stringify(array, null, indent));
        expect(jsonElements(body).map((bytes) => JSON.parse(bytes.toString()))).toEqual(
          JSON.parse(body.toString()),
        );
      },
    ),
  );
});

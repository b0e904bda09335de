import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonElements } from './json-elements.ts';

const cut = (text: string): string[] => jsonElements(Buffer.from(text)).map(String);

it('cuts at the top level only, and leaves each element as it stands', () => {
  expect(cut(' [ {"a" : [1, 2]} , "x,]\\"[" ,\n3, [ [] ], null ] ')).toEqual([
    '{"a" : [1, 2]}',
    '"x,]\\"["',
    '3',
    '[ [] ]',
    'null',
  ]);
});

it('finds the elements of any array', () => {
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

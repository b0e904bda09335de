import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { neighbours, pathAndQuery } from './envelope.ts';
import { REST_ERRORS } from './errors.ts';
import { OPERATIONS } from './operations.ts';
import { pageOf } from './tree.ts';

const limits = fc.constantFrom(5, 10, 25, 50, 100, 150, 250, 500);

describe('paging', () => {
  test('returns every item once, in order, as many as the total', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 700 }), limits, (items, limit) => {
        const collected: number[] = [];
        let page: number | null = 1;
        let asked = 0;
        while (page !== null) {
          asked++;
          collected.push(...pageOf(items, { limit, page }));
          page = neighbours({ limit, page }, items.length).next;
        }
        expect(collected).toEqual(items);
        expect(asked).toBe(Math.max(1, Math.ceil(items.length / limit)));
      }),
    );
  });

  test('leads back from every page, and from a page after the last to the last', () => {
    fc.assert(
      fc.property(fc.nat(2000), limits, fc.integer({ min: 1, max: 2_147_483_647 }), (total, limit, page) => {
        const { previous, next } = neighbours({ limit, page }, total);
        const last = Math.max(1, Math.ceil(total / limit));
        expect(previous).toBe(page === 1 ? null : Math.min(page - 1, last));
        expect(next).toBe(page < last ? page + 1 : null);
      }),
    );
  });
});

test('a path and query survive a round trip through a URL, whatever they contain', () => {
  const operation = OPERATIONS.find(({ name }) => name === 'events.show') ?? expect.fail();
  fc.assert(
    fc.property(fc.nat(), fc.string({ unit: 'grapheme' }), (id, value) => {
      const url = new URL(pathAndQuery(operation, id, { value, page: 2 }), 'http://localhost');
      expect(url.pathname).toBe(`/v2/events/${id}`);
      expect([...url.searchParams]).toEqual([
        ['value', value],
        ['page', '2'],
      ]);
    }),
  );
});

test('an error has a different code for each cause, 13 for an invalid parameter', () => {
  const codes = Object.values(REST_ERRORS).map(({ internalCode }) => internalCode);
  expect(new Set(codes).size).toBe(codes.length);
  expect(REST_ERRORS.INVALID_PARAMETER.internalCode).toBe(13);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { isOperationName, OPERATIONS, type OperationName, operationNamed } from './operations.ts';
import type { Access, ProviderData } from './provider.ts';
import { isRefused, prepared, requiredBy } from './testing/operations.ts';
import { NOW } from './testing/world.ts';

const ACCESS: Access = { clientId: 1, competitions: null, operations: null };

/** Six hours before now, a whole minute. */
const LIVE_SINCE = Math.floor((NOW - 6 * 3_600) / 60) * 60;

/** Returns the query passed to the data. */
function asked(name: OperationName, query: unknown, id = 1): unknown {
  let seen: unknown;
  const data = new Proxy({} as ProviderData, {
    get: () => (first: unknown) => {
      seen = first;
      return { data: '[]', total: 0 };
    },
  });
  prepared(name, query, id).answer(data, ACCESS);
  return seen;
}

describe('parameters', () => {
  // test/system/contract has the others.
  test.each<[OperationName, Record<string, unknown>]>([
    ['events.index', { date_from: '2026-02-30' }],
    ['feed.index', { event_ids: Array.from({ length: 501 }, () => '1').join(',') }],
    ['feed.index', { event_ids: '1,,2' }],
    ['feed.index', { type: 'lineup' }],
    ['feed.index', { important: 'true' }],
    ['livescore.index', { events_details: 'all' }],
    ['livescore.index', { show_postponed: '0' }],
    ['standings.index', { object_type: 'galaxy', object_id: '1' }],
  ])('%s rejects %j', (name, query) => {
    expect(isRefused(name, query)).toBe(true);
  });

  test('accepts 500 events', () => {
    const most = Array.from({ length: 500 }, (_, id) => 100_000 + id);
    expect(asked('feed.index', { event_ids: most.join(',') })).toMatchObject({ eventIds: new Set(most) });
  });

  test('have defaults', () => {
    expect(asked('incidents.index', {})).toEqual({ limit: 500, page: 1 });
    expect(asked('livescore.index', {})).toEqual({
      limit: 150,
      page: 1,
      events_details: 'yes',
      date_from: '2026-09-21 00:00:00',
      date_to: '2026-09-21 23:59:59',
      show_postponed: 'no',
      holdsNow: true,
      liveSince: LIVE_SINCE,
    });
    expect(asked('livescore.index', { date_from: '2026-09-20', date_to: '2026-09-20' })).toMatchObject({
      holdsNow: false,
    });
    expect(asked('feed.index', {})).toEqual({ timestamp: NOW - 86_400, timestamp_to: NOW, eventIds: null });
    expect(asked('events.index', {})).toMatchObject({ date_from: '2026-09-21 00:00:00', holdsNow: true });
    expect(asked('events.index', { date_from: '2026-09-20' })).toMatchObject({ holdsNow: false });
  });

  test('with any value are accepted or rejected, without another error', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(
        '',
        '0000-01-01 00:00',
        '5,'.repeat(9),
        ...'0 -1 1.5 1e9 NaN \0 9999-12-31 yes'.split(' '),
      ),
      fc.integer().map(String),
      fc.array(fc.string(), { maxLength: 3 }),
    );
    for (const { name, params } of OPERATIONS) {
      const names = [...Object.keys(params.shape), 'limit[]', '__proto__', 'constructor', 'page'];
      fc.assert(
        fc.property(fc.dictionary(fc.constantFrom(...names), value), (query) => {
          isRefused(name, { ...requiredBy(name), ...query });
        }),
        { numRuns: rounds(50) },
      );
    }
  });

  test('are accepted as echoed, with the same meaning', () => {
    const queries: [OperationName, Record<string, string>][] = [
      ['livescore.index', { date_to: '2026-09-01 10:00', sport_id: '007' }],
      ['feed.index', { timestamp_to: '500', event_ids: '3,4' }],
      ['events.index', { participant_id: '3', date_from: '2026-01-01' }],
      ['events.incidents', { deleted: 'no' }],
    ];
    for (const [name, query] of queries) {
      const first = prepared(name, query).query;
      expect(prepared(name, first, 1, NOW + 90_000).query).toEqual(first);
    }
  });
});

test('finds an operation by its name', () => {
  expect(operationNamed('events.show').path).toBe('/v2/events/{id}');
  expect(isOperationName('events.show')).toBe(true);
  expect(isOperationName('venues.index')).toBe(false);
  expect(() => operationNamed('venues.index' as OperationName)).toThrow(/no operation.*venues\.index/);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isOperationName, OPERATIONS, type OperationName, operationNamed } from './operations.ts';
import type { Access, ProviderData } from './provider.ts';
import { isRefused, prepared, requiredBy } from './testing/operations.ts';
import { NOW } from './testing/world.ts';

const ACCESS: Access = { clientId: 1, competitions: null, operations: null };

/** The query passed to the data. */
/** Six hours before now, a whole minute. */
const LIVE_SINCE = Math.floor((NOW - 6 * 3_600) / 60) * 60;

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
    expect(asked('feed.index', {})).toEqual({
      timestamp: NOW - 86_400,
      timestamp_to: NOW,
      eventIds: null,
    });
    expect(asked('events.index', {})).toMatchObject({ date_from: '2026-09-21 00:00:00', holdsNow: true });
    expect(asked('events.index', { date_from: '2026-09-20' })).toMatchObject({ holdsNow: false });
  });

  test('are passed to the data', () => {
    expect(
      asked('feed.index', { event_ids: '1,2,2', important: 'no', type: 'event', timestamp: '5' }),
    ).toMatchObject({
      timestamp: 5,
      eventIds: new Set([1, 2]),
      important: 'no',
      type: 'event',
    });
    const filters = {
      deleted: 'yes',
      updated: 'no',
      confirmation: 'tbd',
      sort_order: 'desc',
      participant_id: '9',
    };
    expect(asked('events.incidents', filters, 7)).toEqual({
      limit: 500,
      page: 1,
      eventId: 7,
      deleted: 'yes',
      updated: 'no',
      confirmation: 'tbd',
      sort_type: 'id',
      sort_order: 'desc',
      participant_id: 9,
    });
    const wanted = {
      sport_id: '5',
      competition_id: '10',
      season_id: '20',
      stage_id: '30',
      status_type: 'live',
      participant_id: '101',
      venue_type: 'home',
      date_from: '2026-01-01',
      date_to: '2026-01-02 12:30',
      timestamp: '9',
      limit: '5',
      page: '2',
    };
    for (const name of ['events.index', 'events-simple.index'] as const)
      expect(asked(name, wanted)).toEqual({
        sport_id: 5,
        liveSince: LIVE_SINCE,
        competition_id: 10,
        season_id: 20,
        stage_id: 30,
        status_type: 'live',
        participant_id: 101,
        venue_type: 'home',
        date_from: '2026-01-01 00:00:00',
        date_to: '2026-01-02 12:30:59',
        timestamp: 9,
        limit: 5,
        page: 2,
      });
    for (const flag of ['yes', 'no']) {
      const sent = { important: flag, important_for_trader: flag };
      expect(asked('feed.index', sent)).toMatchObject(sent);
    }
    const most = Array.from({ length: 500 }, (_, id) => 100_000 + id);
    expect(asked('feed.index', { event_ids: most.join(',') })).toMatchObject({ eventIds: new Set(most) });
    expect(asked('standings.index', { object_type: 'season', object_id: '3' })).toMatchObject({
      object_type: 'season',
      object_id: 3,
    });
    expect(asked('stages.index', { season_id: '4' })).toMatchObject({ season_id: 4 });
    expect(asked('competitions.index', { area_id: '4', timestamp: '6' })).toMatchObject({
      area_id: 4,
      timestamp: 6,
    });
  });

  test('with any value are accepted or rejected, without another error', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(
        '',
        '0',
        '-1',
        '1.5',
        '1e9',
        'NaN',
        '\0',
        '9999-12-31',
        '0000-01-01 00:00',
        'yes',
        '5,'.repeat(9),
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
        { numRuns: 50 },
      );
    }
  });

  test('are echoed if the server adds them', () => {
    const echoed = (name: OperationName, query = {}) => prepared(name, query).parameters;
    expect(echoed('standings-types.index')).toEqual({ limit: '500', page: '1', sport_id: '5' });
    expect(echoed('events.incidents')).toEqual({
      event_id: '1',
      deleted: 'no',
      sort_type: 'id',
      sort_order: 'asc',
      limit: '500',
      page: '1',
    });
    expect(echoed('livescore.index')).toMatchObject({ events_details: 'yes', show_postponed: 'no' });
    expect(echoed('feed.index')).toEqual({ timestamp: String(NOW - 86_400), timestamp_to: String(NOW) });
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

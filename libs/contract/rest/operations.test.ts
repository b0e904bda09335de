import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RestError } from './errors.ts';
import {
  ALL_OPERATIONS,
  isOperationName,
  OPERATIONS,
  type OperationName,
  operationNamed,
} from './operations.ts';
import type { Access, ProviderData } from './provider.ts';
import { NOW } from './testing/world.ts';

const ACCESS: Access = { clientId: 1, competitions: null, operations: null };
const CATALOGUES = [5, 10, 25, 50, 100, 150, 250, 500];
const LISTS = [5, 10, 25, 50, 100, 150];

/** The spec's table of endpoints. */
const TABLE: readonly { path: string; params: readonly string[]; limits?: readonly number[] }[] = [
  { path: '/v2/oauth', params: ['client_id', 'secret_key'] },
  { path: '/v2/sports', params: ['limit', 'page'], limits: CATALOGUES },
  { path: '/v2/areas', params: ['limit', 'page'], limits: CATALOGUES },
  { path: '/v2/languages', params: ['limit', 'page'], limits: CATALOGUES },
  { path: '/v2/sports/{id}', params: [] },
  { path: '/v2/standings-types', params: ['sport_id'], limits: CATALOGUES },
  { path: '/v2/standings', params: ['object_type', 'object_id', 'limit'], limits: CATALOGUES },
  { path: '/v2/standings/{id}', params: [] },
  { path: '/v2/competitions', params: [], limits: CATALOGUES },
  {
    path: '/v2/events',
    params: [
      'season_id',
      'stage_id',
      'status_type',
      'participant_id',
      'venue_type',
      'date_from',
      'date_to',
      'limit',
      'page',
    ],
    limits: LISTS,
  },
  { path: '/v2/events/{id}', params: [] },
  {
    path: '/v2/events/{id}/incidents',
    params: [
      'deleted',
      'confirmation',
      'updated',
      'sort_type',
      'sort_order',
      'participant_id',
      'limit',
      'page',
    ],
    limits: CATALOGUES,
  },
  { path: '/v2/events/{id}/important-incidents', params: [] },
  { path: '/v2/incidents', params: ['sport_id', 'limit', 'timestamp'], limits: CATALOGUES },
  {
    path: '/v2/livescore',
    params: [
      'sport_id',
      'status_type',
      'events_details',
      'date_from',
      'date_to',
      'show_postponed',
      'timestamp',
      'limit',
      'page',
    ],
    limits: LISTS,
  },
  { path: '/v2/basic-livescore', params: ['timestamp', 'sport_id'] },
  {
    path: '/v2/feed',
    params: ['timestamp', 'timestamp_to', 'type', 'event_ids', 'important', 'important_for_trader'],
  },
  { path: '/v2/feed/{id}', params: [] },
  { path: '/v2/statuses', params: [], limits: CATALOGUES },
  { path: '/v2/events-simple', params: [], limits: LISTS },
  { path: '/v2/stages', params: [], limits: CATALOGUES },
];

const needed = (name: string): Record<string, string> =>
  name === 'basic-livescore.index' ? { timestamp: String(NOW) } : {};

/** The query passed to the data. */
function asked(name: OperationName, query: unknown, id = 1): unknown {
  const operation = OPERATIONS.find((one) => one.name === name) ?? expect.fail();
  let seen: unknown;
  const data = new Proxy({} as ProviderData, {
    get: () => (first: unknown) => {
      seen = first;
      return { data: '[]', total: 0 };
    },
  });
  operation.prepare(query, id, NOW).answer(data, ACCESS);
  return seen;
}

function isRefused(name: OperationName, query: unknown): boolean {
  const operation = OPERATIONS.find((one) => one.name === name) ?? expect.fail();
  try {
    operation.prepare(query, 1, NOW);
    return false;
  } catch (error) {
    if (error instanceof RestError && error.code === 'INVALID_PARAMETER') return true;
    throw error;
  }
}

describe('the table of endpoints', () => {
  test('is served completely, and no other path is', () => {
    const paths = ALL_OPERATIONS.map(({ path }) => path);
    expect(paths.toSorted()).toEqual(TABLE.map(({ path }) => path).toSorted());
    expect(new Set(ALL_OPERATIONS.map(({ name }) => name)).size).toBe(ALL_OPERATIONS.length);
  });

  test.each(TABLE)('GET $path takes its parameters and its limits', ({ path, params, limits }) => {
    const operation = ALL_OPERATIONS.find((one) => one.path === path) ?? expect.fail();
    expect(Object.keys(operation.params.shape)).toEqual(expect.arrayContaining([...params]));
    expect(operation.paged).toBe(limits !== undefined);
    if (limits === undefined) return;
    const taken = Array.from({ length: 600 }, (_, limit) => limit).filter(
      (limit) => !isRefused(operation.name, { ...needed(operation.name), limit: String(limit) }),
    );
    expect(taken).toEqual(limits);
  });

  test('is open for its three catalogues and the token operation', () => {
    const open = ALL_OPERATIONS.filter((one) => one.open).map(({ path }) => path);
    expect(open.toSorted()).toEqual(['/v2/areas', '/v2/languages', '/v2/oauth', '/v2/sports']);
  });

  test('marks what the spec does not show', () => {
    const marked = ALL_OPERATIONS.filter(({ notShown }) => notShown !== null);
    for (const { notShown } of marked) expect(notShown).toContain('not shown');
    expect(marked.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'sports.show',
        'areas.index',
        'languages.index',
        'competitions.index',
        'stages.index',
        'events-simple.index',
        'basic-livescore.index',
        'feed.show',
        'events.important-incidents',
      ]),
    );
  });

  test('finds an operation by its name', () => {
    expect(operationNamed('events.show').path).toBe('/v2/events/{id}');
    expect(isOperationName('events.show')).toBe(true);
    expect(isOperationName('venues.index')).toBe(false);
    expect(() => operationNamed('venues.index' as OperationName)).toThrow(/no operation.*venues\.index/);
  });
});

describe('parameters', () => {
  test.each<[OperationName, Record<string, unknown>]>([
    ['sports.index', { limit: '7' }],
    ['sports.index', { limit: '1000' }],
    ['sports.index', { limit: '' }],
    ['sports.index', { limit: '5.0' }],
    ['sports.index', { limit: '-5' }],
    ['sports.index', { limit: ['5', '10'] }],
    ['sports.index', { page: '0' }],
    ['sports.index', { page: '-1' }],
    ['sports.index', { page: '1.5' }],
    ['sports.index', { page: '1e3' }],
    ['sports.index', { page: '0x10' }],
    ['sports.index', { page: '٣' }],
    ['sports.index', { page: '1\0' }],
    ['sports.index', { page: '9'.repeat(30) }],
    ['events.index', { limit: '250' }],
    ['livescore.index', { limit: '500' }],
    ['events-simple.index', { limit: '250' }],
    ['events.index', { date_from: '2026-09-01', date_to: '2026-11-01' }],
    ['livescore.index', { date_from: '2026-09-01', date_to: '2026-11-01' }],
    ['events.index', { date_from: '2026-02-30' }],
    ['events.index', { date_from: 'today' }],
    ['events.index', { season_id: '1', date_from: '2026-09-02', date_to: '2026-09-01' }],
    ['events.index', { status_type: 'over' }],
    ['events.index', { venue_type: 'neutral' }],
    ['events.index', { season_id: '' }],
    ['standings.index', { object_type: 'season' }],
    ['standings.index', { object_id: '1' }],
    ['standings.index', { object_type: 'galaxy', object_id: '1' }],
    ['basic-livescore.index', {}],
    ['basic-livescore.index', { timestamp: '' }],
    ['basic-livescore.index', { timestamp: 'now' }],
    ['events.incidents', { deleted: 'maybe' }],
    ['events.incidents', { deleted: 'YES' }],
    ['events.incidents', { confirmation: 'rejected' }],
    ['events.incidents', { updated: '1' }],
    ['events.incidents', { sort_type: 'ut' }],
    ['events.incidents', { sort_order: 'up' }],
    ['events.incidents', { participant_id: 'x' }],
    ['feed.index', { type: 'lineup' }],
    ['feed.index', { event_ids: '1,,2' }],
    ['feed.index', { event_ids: Array.from({ length: 501 }, () => '1').join(',') }],
    ['feed.index', { important: 'true' }],
    ['feed.index', { timestamp: '2', timestamp_to: '1' }],
    ['livescore.index', { events_details: 'all' }],
    ['livescore.index', { show_postponed: '0' }],
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
    });
    expect(asked('livescore.index', { date_from: '2026-09-20', date_to: '2026-09-20' })).toMatchObject({
      holdsNow: false,
    });
    expect(asked('feed.index', {})).toEqual({
      timestamp: NOW - 86_400,
      timestamp_to: NOW,
      eventIds: null,
    });
    expect(asked('events.index', {})).toMatchObject({ date_from: '2026-09-21 00:00:00' });
  });

  test('of a season need no dates', () => {
    expect(asked('events.index', { season_id: '20' })).toEqual({ season_id: 20, limit: 150, page: 1 });
    expect(
      isRefused('events.index', { season_id: '20', date_from: '2018-08-01', date_to: '2019-06-30' }),
    ).toBe(false);
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
          isRefused(name, { ...needed(name), ...query });
        }),
        { numRuns: 50 },
      );
    }
  });

  test('are echoed if the server adds them', () => {
    const echoed = (name: OperationName, query = {}) =>
      OPERATIONS.find((one) => one.name === name)?.prepare(query, 1, NOW).parameters;
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
      const operation = OPERATIONS.find((one) => one.name === name) ?? expect.fail();
      const first = operation.prepare(query, 1, NOW);
      expect(operation.prepare(first.query, 1, NOW + 90_000).query).toEqual(first.query);
    }
  });
});

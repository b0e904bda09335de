import { describe, expect, test } from 'vitest';
import { ALL_OPERATIONS, isOperationName, type OperationName, operationNamed } from './operations.ts';
import { isRefused, requiredBy } from './testing/operations.ts';

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
      (limit) => !isRefused(operation.name, { ...requiredBy(operation.name), limit: String(limit) }),
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

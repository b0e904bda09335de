/**
 * The rows of the table of errors of the REST part of the spec. The table of the token exchange belongs to
 * another service.
 */
import { describe, expect, test } from 'vitest';
import { eventIds, idsOf, PATHS } from './reading.ts';
import { contract, NARROW, tokenUntil } from './served.ts';
import { day, LONG_AGO } from './world.ts';

const INVALID: Readonly<Record<string, readonly string[]>> = {
  'a date range wider than allowed': [
    '/v2/events?date_from=2026-01-01&date_to=2026-02-01',
    '/v2/events-simple?date_from=2026-01-01&date_to=2026-12-31',
    '/v2/livescore?date_from=2026-01-01&date_to=2026-02-01',
    '/v2/livescore?date_from=2026-01-02&date_to=2026-01-01',
    '/v2/feed?timestamp=0&timestamp_to=2678401',
    '/v2/feed?timestamp=2&timestamp_to=1',
    '/v2/events?date_from=2026-02-30',
    '/v2/events?season_id=20&date_from=tomorrow',
  ],
  'object_type without object_id (or the reverse) on standings': [
    '/v2/standings?object_type=season',
    '/v2/standings?object_id=20',
    '/v2/standings?object_type=&object_id=20',
  ],
  'missing timestamp on basic-livescore': ['/v2/basic-livescore', '/v2/basic-livescore?sport_id=5'],
  'invalid filter value on incidents': [
    'deleted=maybe',
    'confirmation=rejected',
    'updated=1',
    'sort_type=ut',
    'sort_order=up',
    'participant_id=home',
    'deleted=',
    'confirmation=TBD',
    'deleted=yes&deleted=yes',
  ].map((query) => `/v2/events/1005/incidents?${query}`),
};

/** A path of each operation that needs a token. */
const CLOSED = PATHS.filter(({ open }) => !open);

/** Registers a test for each row but that of a server error (test/integration/api/serve.test.ts), several for the first. */
export function errorRows(): void {
  describe('Errors (REST)', () => {
    describe('400: limit outside the endpoint’s enum (limits.ts); a date range wider than allowed; object_type without object_id (or the reverse) on standings; missing timestamp on basic-livescore; invalid filter value on incidents', () => {
      test.each(Object.entries(INVALID))('%s', async (_cause, paths) => {
        for (const path of paths) {
          expect((await contract().refuses(path, 'INVALID_PARAMETER')).internal_code).toBe(13);
        }
      });

      test('and nothing of the kind: a range as wide as allowed', async () => {
        await contract().answer('/v2/livescore?date_from=2026-01-01&date_to=2026-01-31');
        await contract().answer(`/v2/feed?timestamp=${LONG_AGO}&timestamp_to=${LONG_AGO + 2_678_400}`);
        await contract().refuses('/v2/feed?timestamp=0&timestamp_to=2678400', 'WINDOW_GONE');
        await contract().answer('/v2/events?season_id=20&date_from=2016-01-01&date_to=2026-12-31');
      });
    });

    test('401: missing, expired or malformed token', async () => {
      const { token } = contract().everything;
      const now = Math.floor(Date.now() / 1000);
      await contract().answerTo(tokenUntil(now + 60), '/v2/statuses');
      const expired = [tokenUntil(now - 1), tokenUntil(now - 3_600), tokenUntil(1)];
      const foreign = tokenUntil(now + 60, Buffer.alloc(32, 'the key of someone else'));
      const signature = token.slice(token.lastIndexOf('.'));
      const malformed = ['', 'x', token.slice(1), token.slice(0, -1), `${token}0`, token.toUpperCase()];
      const [, , expiration, instance] = token.split('.');
      const forged = [
        foreign,
        `v1.2.${expiration}.${instance}${signature}`,
        `v1.1.${now + 99_999}.${instance}${signature}`,
        `v1.1.${expiration}.${'f'.repeat(16)}${signature}`,
      ];
      for (const bad of [null, ...expired, ...malformed, ...forged, `${token}&token=${token}`])
        await contract().refuses('/v2/statuses', 'UNAUTHORIZED', bad);
      for (const { path } of CLOSED) await contract().refuses(path, 'UNAUTHORIZED', null);
      // Parameters are not checked before the token, and a token in a header is ignored.
      await contract().refuses('/v2/events?limit=7', 'UNAUTHORIZED', null);
      const headers = { authorization: `Bearer ${token}` };
      expect((await contract().api.get('/v2/statuses', { headers })).status).toBe(401);
      for (const path of ['/v2/sports', '/v2/areas', '/v2/languages'])
        for (const any of [null, 'x', ...expired]) await contract().answerTo(any, path);
    });

    test('403: competition or endpoint outside the contract', async () => {
      const { token } = contract().narrow;
      for (const { name, path } of CLOSED)
        if (!NARROW.operations.includes(name)) await contract().refuses(path, 'FORBIDDEN', token);
      const cup = ['/v2/events?competition_id=11', '/v2/events?season_id=21', '/v2/events?stage_id=31'];
      const event = ['/v2/events/2001', '/v2/events/2001/incidents', '/v2/events/2001/important-incidents'];
      const tables = ['competition&object_id=11', 'season&object_id=21', 'stage&object_id=31'];
      for (const path of [...cup, ...event, ...tables.map((of) => `/v2/standings?object_type=${of}`)])
        await contract().refuses(path, 'FORBIDDEN', token);

      const seen = (path: string) => contract().answerTo(token, path);
      expect(eventIds(await seen(`/v2/livescore?date_from=${day(0)}`))).toEqual([1005]);
      expect(eventIds(await seen('/v2/events?participant_id=101'))).toEqual([1001, 1005, 1009]);
      expect(idsOf((await seen('/v2/competitions')).data.competitions)).toEqual([10]);
      await seen('/v2/events/1005');
      const feed = (await seen('/v2/feed')).data as { data: { event: { id: number } } }[];
      expect(feed.length).toBeGreaterThan(10);
      for (const { data } of feed) expect(Math.floor(data.event.id / 1000)).toBe(1);
    });

    test('404: unknown standings id; unknown event', async () => {
      const ids = ['999999', '0', 'abc', '-1', '1.5', '9'.repeat(40), '%00', '1%2F2'];
      for (const id of ids) {
        const events = [`events/${id}`, `events/${id}/incidents`, `events/${id}/important-incidents`];
        for (const path of [`standings/${id}`, ...events, `feed/${id}`, `sports/${id}`])
          await contract().refuses(`/v2/${path}`, 'NOT_FOUND');
      }
      // No text has these bytes.
      await contract().refuses('/v2/events/%zz', 'INVALID_PARAMETER');
      for (const path of ['/v2', '/v2/', '/v2/venues', '/v2/events/1005/lineups', '/v2/Sports'])
        await contract().refuses(path, 'NOT_FOUND');
    });
  });
}

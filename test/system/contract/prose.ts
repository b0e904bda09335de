/** The prose of the specification outside of its tables and numbered rules. */
import { describe, expect, test } from 'vitest';
import { eventsOf, PATHS } from './reading.ts';
import { contract, dataOf, eventOf } from './served.ts';
import { day } from './world.ts';

/** A path of each operation. */
type Fields = Record<string, unknown>;

async function tablesOf(season: number) {
  const { standings_list } = await dataOf(`/v2/standings?object_type=season&object_id=${season}&limit=500`);
  const tables = [];
  for (const { id } of standings_list) tables.push((await dataOf(`/v2/standings/${id}`)).standings);
  return tables;
}

export function prose(): void {
  describe('Prose', () => {
    test('a player ranking has one unnamed group', async () => {
      const { standings_list } = await dataOf('/v2/standings?object_type=season&object_id=20&limit=500');
      const { id } = standings_list.find(({ type_id }: { type_id: number }) => type_id === 6);
      const { groups } = (await dataOf(`/v2/standings/${id}`)).standings;
      expect(groups.map(({ name }: { name: string }) => name)).toEqual(['']);
    });

    test('played_time is clock_time and the completed periods', async () => {
      const event = await eventOf(1005);
      expect(event.status_id).toBe(34);
      expect(event.clock_time).toBeGreaterThanOrEqual(60);
      expect(event.played_time).toBe(45 * 60 + event.clock_time);
    });

    test('no minute field', async () => {
      for (const incident of await dataOf('/v2/events/1005/incidents'))
        expect(incident).not.toHaveProperty('minute');
    });

    test('no 429 and no rate-limit headers', async () => {
      const { api, everything } = contract();
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => api.get(`/v2/sports/5?token=${everything.token}`)),
      );
      for (const { status, headers } of answers) {
        expect(status).toBe(200);
        expect([...headers.keys()].filter((name) => /rate-?limit|retry-after/.test(name))).toEqual([]);
      }
    });
  });

  describe('Prose of records', () => {
    test('tables have the columns of their type', async () => {
      const { standings_types } = await dataOf('/v2/standings-types?sport_id=5');
      // Some types have the same code twice, with different ids.
      const named = (columns: Fields[]) => columns.map(({ id, code }) => `${code} ${id}`);
      for (const { type_id, type_name, groups } of await tablesOf(20)) {
        const type = standings_types.find((one: Fields) => one.type_id === type_id);
        const known = named(type.columns);
        for (const { columns } of groups.flatMap((group: { participants: Fields[] }) => group.participants)) {
          expect(columns.length, type_name).toBeGreaterThan(0);
          expect(known).toEqual(expect.arrayContaining(named(columns)));
        }
      }
    });

    test('player rankings have no zones and no corrections', async () => {
      const rankings = (await tablesOf(20)).filter(({ type_id }) => [6, 7, 176].includes(type_id));
      expect(rankings.length).toBeGreaterThan(0);
      for (const { groups } of rankings) expect(groups).toMatchObject([{ zones: [], corrections: [] }]);
    });

    test('a count is a number, a ratio is a text', async () => {
      const [ranking] = (await tablesOf(20)).filter(({ type_id }) => type_id === 6);
      const [{ columns }] = ranking.groups[0].participants;
      const typeOf = (code: string) => typeof columns.find((one: Fields) => one.code === code).value;
      expect([typeOf('goals_scored'), typeOf('goals_per_match')]).toEqual(['number', 'string']);
    });

    test('a competition of bronze level has a league table and no player rankings', async () => {
      const { competitions } = await dataOf('/v2/competitions');
      expect(competitions.find(({ id }: Fields) => id === 12).stats_lvl).toBe('bronze');
      const tables = '/v2/standings?object_type=season&object_id=22&limit=500';
      const types = (await dataOf(tables)).standings_list.map(({ type_id }: Fields) => type_id);
      expect(types).toContain(2);
      for (const ranking of [6, 7, 176]) expect(types).not.toContain(ranking);
    });

    test('no length of a period', async () => {
      for (const path of ['/v2/events/1005', '/v2/statuses?limit=500', '/v2/incidents?sport_id=5&limit=500'])
        expect(JSON.stringify(await dataOf(path)), path).not.toMatch(/"period_?length"/i);
    });

    test('a message of the feed has action and ut, an incident its period_timer', async () => {
      const messages: { type: string; ut: number; data: Record<string, Fields> }[] = await dataOf('/v2/feed');
      for (const { type, ut, data } of messages) {
        expect(ut).toEqual(expect.any(Number));
        expect(data.event?.action).toMatch(/^(insert|update|delete)$/);
        expect(type).toBe(data.incident === undefined ? 'event' : 'incident');
      }
      expect(new Set(messages.map(({ type }) => type)).size).toBe(2);
      const timers = messages.flatMap(({ data }) => data.incident?.period_timer ?? []);
      expect(timers).toEqual([{ direction: 'up', time: 3_000 }]);
    });

    test('no direction of the clock on an event', async () => {
      for (const path of ['/v2/events?season_id=20', `/v2/livescore?date_from=${day(0)}`])
        for (const event of eventsOf(await dataOf(path)))
          for (const field of ['direction', 'clock_direction', 'timer_direction', 'period_timer'])
            expect(event, path).not.toHaveProperty(field);
    });

    test('an event has two sides, home first, with results', async () => {
      const event = await eventOf(1005);
      const results = (value: string) => expect.arrayContaining([expect.objectContaining({ id: 2, value })]);
      expect(event.participants).toMatchObject([
        { id: 101, name: 'Team 101', short_name: 'T101', acronym: 'A101', counter: 1, results: results('3') },
        { id: 102, name: 'Team 102', short_name: 'T102', acronym: 'A102', counter: 2, results: results('1') },
      ]);
      for (const { results: all } of event.participants)
        for (const { id, value } of all) expect([typeof id, typeof value]).toEqual(['number', 'string']);
    });

    test('no status has a sport', async () => {
      const { statuses } = await dataOf('/v2/statuses?limit=500');
      expect(statuses.length).toBeGreaterThan(300);
      for (const status of statuses) expect(status).not.toHaveProperty('sport_id');
    });
  });

  describe('Prose of REST', () => {
    test('all are GET, with the token in the query', async () => {
      const { api, everything } = contract();
      expect(PATHS.filter(({ open }) => open).map(({ path }) => path)).toEqual([
        '/v2/oauth',
        '/v2/sports',
        '/v2/areas',
        '/v2/languages',
      ]);
      for (const { path, open } of PATHS) {
        for (const method of ['POST', 'PUT', 'DELETE'])
          expect((await api.get(path, { method })).status).toBe(405);
        if (open) continue;
        const headers = { authorization: `Bearer ${everything.token}`, token: everything.token };
        expect([path, (await api.get(path, { headers })).status]).toEqual([path, 401]);
        const url = new URL(api.url + path);
        url.searchParams.set('token', everything.token);
        expect([path, (await api.get(url.pathname + url.search)).status]).not.toEqual([path, 401]);
      }
    });

    test('paths begin with the major version, and api.ver is the full one', async () => {
      for (const { path } of PATHS) expect(path).toMatch(/^\/v2\//);
      for (const path of ['/sports', '/v1/sports', '/v3/sports', '/api/v2/sports'])
        expect([path, (await contract().api.get(path)).status]).toEqual([path, 404]);
      const { ver } = await contract().answer('/v2/sports');
      expect(ver).toMatch(/^\d+\.\d+\.\d+$/);
      for (const { path } of PATHS) {
        const { api } = JSON.parse(await (await contract().api.get(path)).text());
        expect([path, api.ver]).toEqual([path, ver]);
      }
    });
  });
}

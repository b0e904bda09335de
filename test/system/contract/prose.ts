/** The prose of the specification outside of its tables and numbered rules. */
import { describe, expect, test } from 'vitest';
import { idsOf } from './reading.ts';
import { contract, dataOf } from './served.ts';
import { day } from './world.ts';

const soccerTypes = async () =>
  (await dataOf('/v2/incidents?sport_id=5&limit=500')).incidents.filter(
    ({ id }: { id: number }) => id !== 900,
  );

/** The types that interrupt play, as the specification lists them. */
const GAME_BREAKS = [420, 445, 437, 434, 435, 436, 438, 439, 440, 441, 442, 446, 447, 448, 451, 1834, 2753];

/** Registers a test for each sentence. */
export function prose(): void {
  describe('Prose', () => {
    test('containers', async () => {
      for (const [path, container] of [
        ['/v2/sports', 'sports'],
        ['/v2/incidents?sport_id=5', 'incidents'],
        ['/v2/standings', 'standings_list'],
        ['/v2/competitions', 'competitions'],
        ['/v2/events?season_id=20', 'competitions'],
        [`/v2/livescore?date_from=${day(0)}`, 'competitions'],
        ['/v2/events/1005/important-incidents', 'event_incidents'],
      ] as const) {
        const data = await dataOf(path);
        expect([path, Object.keys(data)]).toEqual([path, [container]]);
        expect(data[container].length).toBeGreaterThan(0);
      }
      const [{ id }] = (await dataOf('/v2/standings')).standings_list;
      expect((await dataOf(`/v2/standings/${id}`)).standings.id).toBe(id);
    });

    test('a bare array of incidents', async () => {
      expect(Array.isArray(await dataOf('/v2/events/1005/incidents'))).toBe(true);
    });

    test('a single chain to the event', async () => {
      const { competition } = await dataOf('/v2/events/1005');
      const { season } = competition;
      const { stage } = season;
      expect([competition.id, season.id, stage.id, stage.group.id, stage.group.event.id]).toEqual([
        10, 20, 30, 40, 1005,
      ]);
    });

    test('flags are yes or no, and one is a boolean', async () => {
      const { sports } = await dataOf('/v2/sports?limit=500');
      expect(new Set(sports.map(({ has_timer }: { has_timer: unknown }) => has_timer))).toEqual(
        new Set(['yes', 'no']),
      );
      const { competitions } = await dataOf('/v2/competitions');
      const stats = competitions.map((one: { generate_season_stats?: unknown }) => one.generate_season_stats);
      expect(stats.slice(0, 2)).toEqual([true, false]);
    });

    test('a player ranking has one unnamed group', async () => {
      const { standings_list } = await dataOf('/v2/standings?object_type=season&object_id=20&limit=500');
      const { id } = standings_list.find(({ type_id }: { type_id: number }) => type_id === 6);
      const { groups } = (await dataOf(`/v2/standings/${id}`)).standings;
      expect(groups.map(({ name }: { name: string }) => name)).toEqual(['']);
    });

    test('played_time is clock_time and the completed periods', async () => {
      const { event } = (await dataOf('/v2/events/1005')).competition.season.stage.group;
      expect(event.status_id).toBe(34);
      expect(event.clock_time).toBeGreaterThanOrEqual(60);
      expect(event.played_time).toBe(45 * 60 + event.clock_time);
    });

    test('no minute field', async () => {
      for (const incident of await dataOf('/v2/events/1005/incidents'))
        expect(incident).not.toHaveProperty('minute');
    });

    test('the types that interrupt play', async () => {
      const breaks = (await soccerTypes()).filter(
        ({ game_break }: { game_break: string }) => game_break === 'yes',
      );
      expect(idsOf(breaks).toSorted()).toEqual(GAME_BREAKS.toSorted());
    });

    test('limit and page', async () => {
      const page = async (query: string) => idsOf((await dataOf(`/v2/sports?limit=5${query}`)).sports);
      expect(await page('')).toEqual(await page('&page=1'));
      expect(await page('&page=2')).not.toEqual(await page('&page=1'));
      for (const wrong of ['limit=6', 'limit=0', 'page=0', 'page=x'])
        await contract().refuses(`/v2/sports?${wrong}`, 'INVALID_PARAMETER');
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
}

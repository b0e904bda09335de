/** The prose of the specification about records: standings, incident types, statuses, events, the feed. */
import { describe, expect, test } from 'vitest';
import { eventsOf } from './reading.ts';
import { dataOf } from './served.ts';
import { day } from './world.ts';

type Fields = Record<string, unknown>;

const typesOf = async (): Promise<Fields[]> => (await dataOf('/v2/incidents?sport_id=5&limit=500')).incidents;

/** Returns the tables of a season, with their rows. */
async function tablesOf(season: number) {
  const { standings_list } = await dataOf(`/v2/standings?object_type=season&object_id=${season}&limit=500`);
  const tables = [];
  for (const { id } of standings_list) tables.push((await dataOf(`/v2/standings/${id}`)).standings);
  return tables;
}

/** All standings types that some source names. */
const TYPE_IDS = [1, 2, 3, 4, 5, 6, 7, 9, 11, 18, 39, 47, 55, 90, 115, 176, 244];

/** Registers a test for each sentence. */
export function recordsProse(): void {
  describe('Prose of records', () => {
    test('every type of standings has an id, a name and columns', async () => {
      const { standings_types } = await dataOf('/v2/standings-types?sport_id=5');
      for (const type of standings_types)
        expect(type).toMatchObject({
          type_id: expect.any(Number),
          type_name: expect.stringMatching(/\S/),
          columns: expect.any(Array),
        });
      const empty = standings_types.filter(({ columns }: { columns: unknown[] }) => columns.length === 0);
      expect(empty).toEqual([]);
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

    test('the variants of the league table are there, with the aggregates and the rankings', async () => {
      const { standings_types } = await dataOf('/v2/standings-types?sport_id=5');
      const ids = standings_types.map(({ type_id }: Fields) => type_id);
      expect(ids).toEqual(expect.arrayContaining(TYPE_IDS));
      const names = standings_types.map(({ type_name }: Fields) => String(type_name));
      for (const name of [
        /home/i,
        /away/i,
        /half.?time/i,
        /second half/i,
        /wide/i,
        /^overall stats/i,
        /team overall/i,
      ])
        expect(
          names.filter((one: string) => name.test(one)),
          String(name),
        ).toHaveLength(1);
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

    test('fields of an incident type, whose flags are independent', async () => {
      const types = await typesOf();
      for (const type of types)
        expect(Object.keys(type)).toEqual(
          expect.arrayContaining(['id', 'name', 'game_break', 'important', 'important_for_trader']),
        );
      const flags = types.map((one) => [one.game_break, one.important, one.important_for_trader].join());
      expect([...new Set(flags)].toSorted()).toEqual([
        'no,no,no',
        'no,no,yes',
        'no,yes,yes',
        'yes,no,yes',
        'yes,yes,yes',
      ]);
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
      const { event } = (await dataOf('/v2/events/1005')).competition.season.stage.group;
      const results = (value: string) => expect.arrayContaining([expect.objectContaining({ id: 2, value })]);
      expect(event.participants).toMatchObject([
        { id: 101, name: 'Team 101', short_name: 'T101', acronym: 'A101', counter: 1, results: results('3') },
        { id: 102, name: 'Team 102', short_name: 'T102', acronym: 'A102', counter: 2, results: results('1') },
      ]);
      for (const { results: all } of event.participants)
        for (const { id, value } of all) expect([typeof id, typeof value]).toEqual(['number', 'string']);
    });

    test('every event has a status', async () => {
      const lists = ['events?season_id=20', 'events-simple?season_id=20', `livescore?date_from=${day(0)}`];
      for (const path of [...lists, 'basic-livescore?timestamp=1'])
        for (const event of eventsOf(await dataOf(`/v2/${path}`)))
          expect(event, path).toMatchObject({
            status_id: expect.any(Number),
            status_name: expect.stringMatching(/\S/),
            status_type: expect.stringMatching(/^(scheduled|live|finished)$/),
          });
    });

    test('no status has a sport', async () => {
      const { statuses } = await dataOf('/v2/statuses?limit=500');
      expect(statuses.length).toBeGreaterThan(300);
      for (const status of statuses) expect(status).not.toHaveProperty('sport_id');
    });

    test('the types of statuses that are shown are there', async () => {
      const { statuses } = await dataOf('/v2/statuses?limit=500');
      const types = new Set(statuses.map(({ type }: Fields) => type));
      for (const type of ['scheduled', 'live', 'finished']) expect(types).toContain(type);
    });
  });
}

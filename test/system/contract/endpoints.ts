/**
 * The rows of the endpoint table of the spec, and the text above it. The tables below it, of the token exchange and of
 * the webhook test, belong to other services.
 */
import { describe, expect, test } from 'vitest';
import { STATUS_TYPES } from '#contract/rest/parameters.ts';
import { eventIds, eventsOf, expectParameters, idsOf, messageIds } from './reading.ts';
import { contract, dataOf } from './served.ts';
import { BEGAN, DESCRIBED, day, LISTED, LONG_AGO, LONG_AGO_IDS, PUBLISHED, STANDING } from './world.ts';

const TODAY = `date_from=${day(0)}&date_to=${day(0)}`;
const LONG_AGO_WINDOW = `timestamp=${LONG_AGO}&timestamp_to=${LONG_AGO + 30}`;

export function endpointRows(): void {
  describe('Endpoints', () => {
    test('limit (enum per endpoint; any value outside the endpoint’s enum returns 400) and page (integer, first page 1)', async () => {
      const first = await contract().answer('/v2/sports?limit=5');
      const [second] = await contract().pages('/v2/sports?limit=5&page=1');
      expect(second.data).toEqual(first.data);
      expectParameters(first, { limit: '5', page: '1' });
      for (const page of ['0', '-1', '1.5', '', 'one', '2147483648', '1&page=2'])
        await contract().refuses(`/v2/sports?page=${page}`, 'INVALID_PARAMETER');
      const beyond = await contract().answer('/v2/sports?limit=5&page=2147483647');
      expect([beyond.data.sports, beyond.method.next_page]).toEqual([[], '']);
      const last = await contract().answer('/v2/sports?limit=5&page=3');
      expect(new URL(last.method.previous_page).searchParams.get('page')).toBe('2');
      expect(beyond.method.total_items).toBe(first.method.total_items);
    });

    test('GET {base_url}/v2/oauth: client_id, secret_key (query)', async () => {
      const { id, secret } = contract().everything;
      const api = await contract().answerTo(null, `/v2/oauth?client_id=${id}&secret_key=${secret}`);
      expect(api.data.client_id).toBe(id);
      expect(api.data.token_expiration - api.timestamp).toBe(3_600);
      expect(api.method.details).toBe('oauth');
      expect(api.method.parameters).toEqual({ client_id: id });
      expect(JSON.stringify(api)).not.toContain(secret);
      await contract().answerTo(api.data.token, '/v2/statuses');
      await contract().refuses(`/v2/oauth?client_id=${id}&secret_key=wrong`, 'UNAUTHORIZED', null);
      for (const unknown of ['77', `${id}%00`])
        await contract().refuses(`/v2/oauth?client_id=${unknown}&secret_key=${secret}`, 'UNAUTHORIZED', null);
      const twice = `client_id=${id}&client_id=${id}&secret_key=${secret}`;
      for (const query of [`client_id=${id}`, `secret_key=${secret}`, twice, ''])
        await contract().refuses(`/v2/oauth?${query}`, 'INVALID_PARAMETER', null);
    });

    test('GET /v2/sports: limit in 5,10,25,50,100,150,250,500; page; open (no token needed)', async () => {
      const pages = await contract().pages('/v2/sports?limit=5');
      const ids = pages.flatMap(({ data }) => idsOf(data.sports));
      expect(pages.map(({ data }) => data.sports.length)).toEqual([5, 5, 4]);
      expect(new Set(ids).size).toBe(pages[0].method.total_items);
      const open = await contract().answerTo(null, '/v2/sports');
      expect(idsOf(open.data.sports)).toEqual(ids);
      expect(open.data.sports).toContainEqual(
        expect.objectContaining({ id: 5, active: 'yes', has_timer: 'yes' }),
      );
    });

    test('GET /v2/areas, GET /v2/languages: limit, page; open', async () => {
      for (const name of ['areas', 'languages']) {
        const pages = await contract().pages(`/v2/${name}?limit=5`);
        const records = pages.flatMap(({ data }) => data[name]);
        expect(records).toHaveLength(pages[0].method.total_items);
        expect(idsOf(records)).toContain(900);
        for (const token of [null, 'none'])
          expect((await contract().answerTo(token, `/v2/${name}`)).data[name]).toEqual(records);
      }
    });

    test('GET /v2/sports/{id}', async () => {
      const { sport } = await dataOf('/v2/sports/5');
      expect(sport.id).toBe(5);
      for (const list of ['statuses', 'results', 'details', 'incidents', 'standings_types'])
        expect(sport[list].length, list).toBeGreaterThan(0);
      expectParameters(await contract().answer('/v2/sports/1'), { sport_id: '1' });
    });

    test('GET /v2/standings-types: sport_id', async () => {
      // The row "Standings type: 2 League standings" has its columns.
      const { standings_types } = await dataOf('/v2/standings-types?sport_id=5');
      expect(standings_types).toContainEqual(
        expect.objectContaining({ type_id: 2, type_name: 'League standings' }),
      );
      expect((await dataOf('/v2/standings-types?sport_id=1')).standings_types).toEqual([]);
    });

    test('GET /v2/standings: object_type and object_id (must be sent together), limit', async () => {
      const season = await contract().answer('/v2/standings?object_type=season&object_id=20&limit=50');
      const kinds = season.data.standings_list.map(({ object_type }: { object_type: string }) => object_type);
      expect(new Set(kinds)).toEqual(new Set(['season', 'stage']));
      const stage = await contract().answer('/v2/standings?object_type=stage&object_id=30');
      expect(stage.method.total_items).toBe(kinds.filter((kind: string) => kind === 'stage').length);
    });

    test('GET /v2/standings/{id}', async () => {
      const list = await contract().answer('/v2/standings?object_type=stage&object_id=30');
      const entry = list.data.standings_list.find(({ type_id }: { type_id: number }) => type_id === 2);
      const { standings } = await dataOf(`/v2/standings/${entry.id}`);
      expect(standings).toMatchObject({ id: entry.id, type_id: 2, object_type: 'stage', object_id: 30 });
      const [group] = standings.groups;
      expect(idsOf(group.participants).toSorted()).toEqual([101, 102, 103, 104, 105, 106, 107, 108]);
      const [leader] = group.participants;
      const columns = Object.fromEntries(
        leader.columns.map(({ code, value }: { code: string; value: unknown }) => [code, value]),
      );
      expect(columns).toMatchObject({ mp: 1, won: 1, goals_scored: 2, goals_allowed: 1, pts: 3 });
    });

    test('GET /v2/competitions: parameters: not shown; items carry stats_lvl, generate_season_stats', async () => {
      const [league, cup] = (await dataOf('/v2/competitions')).competitions;
      expect(league).toMatchObject({
        id: 10,
        name: 'League',
        stats_lvl: 'gold',
        generate_season_stats: true,
      });
      expect(cup).toMatchObject({ id: 11, stats_lvl: 'bronze', generate_season_stats: false });
      expect(league.seasons).toEqual([expect.objectContaining({ id: 20, actual: 'yes' })]);
    });

    test('GET /v2/events: season_id, stage_id, status_type (scheduled, finished, others), participant_id, venue_type (home), date_from, date_to, limit in 5,10,25,50,100,150, page', async () => {
      const ids = async (query: string) => eventIds(await contract().answer(`/v2/events?${query}`));
      const league = Array.from({ length: 12 }, (_, index) => 1001 + index);
      expect(await ids('season_id=20')).toEqual(league);
      expect(await ids('stage_id=30')).toEqual(league);
      expect(await ids('stage_id=31&sport_id=1')).toEqual([2002]);
      expect(await ids('season_id=20&status_type=finished')).toEqual([1001, 1002, 1003, 1004]);
      expect(await ids('season_id=20&status_type=live')).toEqual([1005]);
      expect(await ids('season_id=20&status_type=scheduled')).toEqual(league.slice(5));
      for (const type of STATUS_TYPES) await ids(`season_id=20&status_type=${type}`);
      expect(await ids('participant_id=101')).toEqual([1001, 1005, 1009, 3001, 2001]);
      expect(await ids('participant_id=101&venue_type=home')).toEqual([1001, 1005, 1009, 3001]);
      expect(await ids('participant_id=102&venue_type=home')).toEqual([]);
      expect(await ids(TODAY)).toEqual([1005, 1006, 2001, 2002]);
      expect(await ids(`season_id=20&date_from=${day(1)}`)).toEqual(league.slice(6));
      expect(await ids(`season_id=20&date_to=${day(-40)}`)).toEqual([1001, 1002]);
      // Not of today: times that cover the present have all that is live, whenever it began.
      expect(await ids(`date_from=${day(7)} 15:00&date_to=${day(8)} 15:00`)).toEqual(league.slice(8));
      expect(await ids(`date_from=${day(7)} 15:01&date_to=${day(8)} 14:59`)).toEqual([]);
      expect(await ids('season_id=20&limit=10&page=2')).toEqual([1011, 1012]);
      await contract().refuses('/v2/events?season_id=20&status_type=over', 'INVALID_PARAMETER');
      await contract().refuses('/v2/events?season_id=20&venue_type=neutral', 'INVALID_PARAMETER');
    });

    test('GET /v2/events/{id}', async () => {
      const api = await contract().answer('/v2/events/1005');
      const { competition } = api.data;
      const { season } = competition;
      const { event, ...group } = season.stage.group;
      expect([competition.id, season.id, season.stage.id, group.id]).toEqual([10, 20, 30, 40]);
      const status = { id: 1005, status_id: 34, status_type: 'live', relation_status: 'in_progress' };
      expect(event).toMatchObject({ ...DESCRIBED, day: '2', ...status });
      expect(idsOf(event.events_incidents)).toEqual(STANDING);
      const [home, away] = event.participants;
      expect([home.counter, away.counter]).toEqual([1, 2]);
      expect(home.stats).toEqual([expect.objectContaining({ id: 20, value: '4' })]);
      expectParameters(api, { event_id: '1005' });
    });

    test('GET /v2/events/{id}/incidents: deleted (yes/no), confirmation (tbd/confirmed/cancelled), updated (yes/no), sort_type (id or occurred_at, the latter being delivery time), sort_order (asc shown), participant_id, limit, page', async () => {
      const ids = async (query: string) => {
        const { data, method } = await contract().answer(`/v2/events/1005/incidents?${query}`);
        expect(Array.isArray(data)).toBe(true);
        expect(method.total_items).toBeGreaterThanOrEqual(data.length);
        return idsOf(data);
      };
      expect(await ids('')).toEqual(STANDING);
      expect(await ids('deleted=no')).toEqual(STANDING);
      expect(await ids('deleted=yes')).toEqual(['5-12']);
      expect(await ids('confirmation=tbd')).toEqual(['5-10']);
      expect(await ids('confirmation=confirmed')).toEqual(['5-20', '5-21', '5-9']);
      expect(await ids('confirmation=cancelled')).toEqual(['5-100']);
      expect(await ids('updated=yes')).toEqual(['5-100', '5-21']);
      expect(await ids('updated=no')).toEqual(['5-10', '5-11', '5-20', '5-9']);
      expect(await ids('sort_type=id')).toEqual(STANDING);
      const delivered = ['5-21', '5-9', '5-10', '5-100', '5-11', '5-20'];
      expect(await ids('sort_type=occurred_at')).toEqual(delivered);
      expect(await ids('sort_type=occurred_at&sort_order=desc')).toEqual(delivered.toReversed());
      expect(await ids('sort_order=asc')).toEqual(STANDING);
      expect(await ids('sort_order=desc')).toEqual(STANDING.toReversed());
      expect(await ids('participant_id=102')).toEqual(['5-10']);
      expect(await ids('participant_id=999')).toEqual([]);
      expect(await ids('limit=5&page=2')).toEqual(['5-9']);
      expect(await ids('confirmation=confirmed&sort_order=desc&participant_id=101&limit=5')).toEqual([
        '5-9',
        '5-21',
        '5-20',
      ]);
    });

    test('GET /v2/events/{id}/important-incidents', async () => {
      const { event_incidents } = await dataOf('/v2/events/1005/important-incidents');
      expect(idsOf(event_incidents)).toEqual(STANDING.filter((id) => id !== '5-11'));
    });

    test('GET /v2/incidents: sport_id, limit (500 used), timestamp', async () => {
      const soccer = await contract().answer('/v2/incidents?sport_id=5&limit=500');
      const goal = soccer.data.incidents.find(({ id }: { id: number }) => id === 413);
      expect(goal).toMatchObject({ name: 'Goal', important: 'yes', important_for_trader: 'yes' });
      expect((await dataOf('/v2/incidents?sport_id=1')).incidents).toEqual([]);
      const since = await dataOf(`/v2/incidents?timestamp=${LISTED}`);
      expect(idsOf(since.incidents)).toEqual([900]);
    });

    test('GET /v2/livescore: sport_id, status_type, events_details (yes), date_from, date_to, show_postponed (yes/no), timestamp (integer), limit (enum stops at 150), page', async () => {
      const board = async (query = '') => contract().answer(`/v2/livescore?${TODAY}${query}`);
      const ids = async (query?: string) => eventIds(await board(query));
      expect(await ids()).toEqual([1005, 2001, 2002]);
      expect(await ids('&show_postponed=no')).toEqual([1005, 2001, 2002]);
      expect(await ids('&show_postponed=yes')).toEqual([1005, 1006, 2001, 2002]);
      expect(await ids('&sport_id=1')).toEqual([2002]);
      expect(await ids('&status_type=live')).toEqual([1005, 2001, 2002]);
      expect(await ids('&status_type=finished')).toEqual([]);
      const [detailed] = eventsOf((await board('&events_details=yes')).data);
      const [plain] = eventsOf((await board('&events_details=no')).data);
      expect([detailed?.details?.length, plain?.details]).toEqual([2, undefined]);
      expect(await ids(`&timestamp=${PUBLISHED}`)).toEqual([1005, 1006, 2001, 2002]);
      expect(await ids(`&timestamp=${BEGAN + 3_600}`)).toEqual([]);
      expect(await ids('&show_postponed=yes&limit=5&page=2')).toEqual([]);
      expect(
        eventIds(await contract().answer(`/v2/livescore?date_from=${day(1)}&date_to=${day(1)}`)),
      ).toEqual([1007, 1008]);
    });

    test('GET /v2/basic-livescore: timestamp (required, integer), sport_id (optional)', async () => {
      const api = await contract().answer(`/v2/basic-livescore?timestamp=${PUBLISHED}&sport_id=1`);
      const [event, ...others] = eventsOf(api.data);
      expect(others).toEqual([]);
      expect(event).toMatchObject({ id: 2002, status_id: 34, status_type: 'live' });
      expect(event?.participants.map(({ results }) => results)).toEqual([
        expect.arrayContaining([expect.objectContaining({ id: 2, value: '3' })]),
        expect.arrayContaining([expect.objectContaining({ id: 2, value: '4' })]),
      ]);
      expect(event).not.toHaveProperty('details');
      expect(eventIds(await contract().answer(`/v2/basic-livescore?timestamp=${PUBLISHED}`))).toContain(1005);
      for (const query of ['', '?timestamp=', '?timestamp=now', '?timestamp=-1', '?timestamp=1.5'])
        await contract().refuses(`/v2/basic-livescore${query}`, 'INVALID_PARAMETER');
    });

    test('GET /v2/feed: timestamp (window start), timestamp_to, type (incident/event), event_ids, important, important_for_trader', async () => {
      const ids = async (query: string) => messageIds(await dataOf(`/v2/feed?${query}`));
      const within = (from: number, to: number) =>
        ids(`timestamp=${LONG_AGO + from}&timestamp_to=${LONG_AGO + to}`);
      const [event, goal, attack, possession] = LONG_AGO_IDS;
      // Newest first.
      expect(await within(0, 30)).toEqual(LONG_AGO_IDS.toReversed());
      expect(await within(1, 30)).toEqual([possession, attack, goal]);
      expect(await within(0, 29)).toEqual([attack, goal, event]);
      expect(await within(10, 10)).toEqual([goal]);
      expect(await within(11, 19)).toEqual([]);
      const filtered = (query: string) => ids(`${LONG_AGO_WINDOW}&${query}`);
      expect(await filtered('type=event')).toEqual([event]);
      expect(await filtered('type=incident')).toEqual([possession, attack, goal]);
      expect(await filtered('event_ids=3001,1005')).toEqual(LONG_AGO_IDS.toReversed());
      expect(await filtered('event_ids=1005')).toEqual([]);
      expect(await filtered('important=yes')).toEqual([goal]);
      expect(await filtered('important_for_trader=yes')).toEqual([attack, goal]);
      expect(await filtered('important=no')).toEqual([possession, attack]);
      expect(await filtered('important=no&important_for_trader=yes')).toEqual([attack]);
      const day = await contract().answer('/v2/feed');
      const { timestamp: from, timestamp_to: to } = day.method.parameters;
      expect([Number(to), to - from]).toEqual([day.timestamp, 86_400]);
      expect(day.data.map(({ data }: { data: { event: { id: number } } }) => data.event.id)).toContain(1005);
      // Written two days ago, but visible here only since a moment ago.
      expect(messageIds(day.data)).toContain(event);
      expect(await ids(`timestamp=${PUBLISHED}&timestamp_to=${PUBLISHED}`)).toEqual([1]);
    });

    test('GET /v2/feed/{id}', async () => {
      const api = await contract().answer('/v2/feed/3001');
      expect(messageIds(api.data)).toEqual(LONG_AGO_IDS.toReversed());
      for (const { type, ut, data } of api.data) {
        expect(ut).toBeGreaterThanOrEqual(LONG_AGO);
        expect(data.event).toMatchObject({ id: 3001, action: 'update' });
        expect(data.incident === undefined).toBe(type === 'event');
      }
    });

    test('GET /v2/statuses, GET /v2/events-simple, GET /v2/stages, GET /v2/events/{id} filters not listed above: token required (/v2/statuses is not open); parameters of these: not shown', async () => {
      for (const path of ['/v2/statuses', '/v2/events-simple', '/v2/stages', '/v2/events/1005'])
        await contract().refuses(path, 'UNAUTHORIZED', null);
      expect((await dataOf('/v2/statuses')).statuses).toContainEqual(
        expect.objectContaining({ id: 34, name: '2nd half', type: 'live' }),
      );
      const simple = await contract().answer('/v2/events-simple?season_id=20&limit=150');
      expect(eventIds(simple)).toHaveLength(12);
      expect(eventsOf(simple.data)[0]).not.toHaveProperty('details');
      const stages = await dataOf('/v2/stages?season_id=20');
      expect(stages.competitions[0].seasons[0].stages).toEqual([
        expect.objectContaining({
          id: 30,
          name: 'Regular season',
          show_standings: 'yes',
          has_brackets: 'no',
        }),
      ]);
      // An event has no filters: further parameters are ignored.
      const event = await contract().answer('/v2/events/1005?deleted=maybe');
      expectParameters(event, { event_id: '1005' });
    });
  });
}

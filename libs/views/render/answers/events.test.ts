import type { FastifyInstance } from 'fastify';
import { beforeEach, expect, test } from 'vitest';
import type { Access } from '#contract/rest/provider.ts';
import { eventMessage, incidentMessage, KICK_OFF } from '#ingestion/testing/messages.ts';
import { askApi, EVERYTHING, RECEIVED_AT, ViewsWorld } from '../../testing/world.ts';
import { eventData } from './events.ts';

const ONLY_9: Access = { clientId: 2, competitions: new Set([9]), operations: null };
const BOARD = '/v2/livescore?date_from=2026-08-15';
const NOW = Math.floor(RECEIVED_AT / 1000);

let world: ViewsWorld;
let app: FastifyInstance;

beforeEach(async () => {
  world = new ViewsWorld();
  app = await world.server({ t: EVERYTHING, nine: ONLY_9 });
});

const ask = (url: string, status?: number, token?: string) => askApi(app, url, status, token);

type Event = {
  id: number;
  participants: { results: { id: number; value: string }[]; stats?: unknown }[];
} & Record<string, unknown>;

/** Returns the events of a tree, in its order. */
function eventsOf({ data }: { data: { competitions: unknown[] } }): Event[] {
  const inside = (items: unknown[], key: string) =>
    items.flatMap((item) => (item as Record<string, unknown[]>)[key]);
  return ['seasons', 'stages', 'groups', 'events'].reduce(inside, data.competitions) as Event[];
}

const ids = (api: { data: { competitions: unknown[] } }) => eventsOf(api).map(({ id }) => id);

const idsAt = async (url: string) => ids(await ask(url));

async function event(id = 7000001): Promise<Event> {
  return (await ask(`/v2/events/${id}`)).data.competition.season.stage.group.event;
}

const score = (shown: Event) =>
  shown.participants.map(({ results }) => results.find(({ id }) => id === 2)?.value);

test('shows the derived score as result 2, as text, whatever is reported', async () => {
  world.play(incidentMessage({}, KICK_OFF), incidentMessage({}, {}, { participants: sides(4, 4) }));
  const shown = await event();
  expect(score(shown)).toEqual(['1', '0']);
  const winner = { id: 411, short_name: 'Winner', name: 'Winner', value: '0' };
  expect(shown.participants[0]?.results).toContainEqual(winner);
});

test('shows every field of the spec, whatever was reported', async () => {
  world.play({ type: 'event', id: 9, ut: 1_790_000_000, data: { event: { id: 8_000_000, sport_id: 5 } } });
  expect(await event(8_000_000)).toEqual({
    id: 8_000_000,
    name: '',
    start_date: '',
    day: '',
    sport_id: 5,
    sport_name: 'Soccer',
    competition_id: 0,
    season_id: 0,
    stage_id: 0,
    group_id: 0,
    round_id: null,
    round_name: '',
    status_id: 0,
    status_name: '',
    status_type: '',
    relation_status: '',
    bet_status: '',
    clock_time: null,
    clock_status: null,
    played_time: null,
    winner_id: null,
    progress_id: null,
    neutral_venue: 'no',
    coverage_type: '',
    event_stats_lvl_live: '',
    latency: null,
    venue_id: '',
    verified_result: 'no',
    item_status: 'active',
    series: { order: 0, event_ids: [] },
    ut: 1_790_000_000,
    details: [],
    participants: [],
    events_incidents: [],
  });
});

// test/system/contract/endpoints.ts has the other filters, and the pages.
test('filters events by competition, by the away side and by the time of a change', async () => {
  const others = { competition_id: 9, season_id: 90, stage_id: 91 };
  world.play(
    eventMessage({}, { id: 1 }),
    eventMessage({}, { id: 2, ...others }),
    eventMessage({}, { id: 3, participants: sides(0, 0, [102, 101]) }),
  );
  const list = (query: string) => idsAt(`/v2/events?${query}`);
  expect(await list('competition_id=6628')).toEqual([1, 3]);
  expect(await list('participant_id=101&venue_type=away')).toEqual([3]);
  expect(await list(`season_id=25528&timestamp=${NOW}`)).toEqual([1, 3]);
  expect(await list(`season_id=25528&timestamp=${NOW + 60}`)).toEqual([]);
});

// test/system/contract/endpoints.ts has the filters of a board.
test('shows a board with or without details and stats, and a match that is live by its status', async () => {
  // A date without time.
  world.play(eventMessage({}, { id: 4, status_type: null, start_date: '2026-08-17' }));
  const board = '/v2/livescore?date_from=2026-08-17&status_type=live';
  const [plain] = eventsOf(await ask(`${board}&events_details=no`));
  expect([plain?.id, plain?.details, plain?.participants[0]?.stats]).toEqual([4, undefined, undefined]);
  expect(plain === undefined ? [] : score(plain)).toEqual(['1', '0']);
  const [full] = eventsOf(await ask(board));
  expect([full?.details, full?.participants[0]?.stats]).toEqual([expect.any(Array), expect.any(Array)]);
});

test('shows live events on the current board, whenever they began', async () => {
  const yesterday = { start_date: '2026-09-20 22:30' };
  world.play(
    eventMessage({}, { id: 1, ...yesterday }),
    eventMessage({}, { id: 2, ...yesterday, status_id: 11, status_type: 'finished' }),
    eventMessage({}, { id: 3, start_date: '2026-09-21 12:00' }),
  );
  expect(await idsAt('/v2/livescore')).toEqual([1, 3]);
  expect(await idsAt('/v2/livescore?date_from=2026-09-21&date_to=2026-09-22')).toEqual([1, 3]);
  expect(await idsAt('/v2/livescore?date_from=2026-09-20&date_to=2026-09-20')).toEqual([1, 2]);
  expect(await idsAt('/v2/livescore?date_from=2026-09-19&date_to=2026-09-19')).toEqual([]);
  for (const path of ['/v2/events', '/v2/events-simple']) {
    expect(await idsAt(path)).toEqual([1, 3]);
    expect(await idsAt(`${path}?date_from=2026-09-19&date_to=2026-09-19`)).toEqual([]);
    expect(await idsAt(`${path}?season_id=25528&date_from=2026-09-21`)).toEqual([3]);
  }
  const live = '/v2/livescore?status_type=live';
  expect(await idsAt(live)).toEqual([1, 3]);
  // Six hours without a word end play, and the next message brings it back.
  world.now += 6 * 3_600_000 + 60_000;
  expect(await idsAt(live)).toEqual([]);
  expect(await idsAt('/v2/livescore')).toEqual([3]);
  expect(await idsAt('/v2/events?season_id=25528&status_type=live')).toEqual([]);
  world.play(eventMessage({ ut: Math.floor(world.now / 1000) }, { id: 1, ...yesterday }));
  expect(await idsAt(live)).toEqual([1]);
});

test('counts the events of a basic board, and refuses one that is too long', async () => {
  world.play(eventMessage({}, { id: 1 }), eventMessage({}, { id: 2 }));
  const answer = await ask('/v2/basic-livescore?timestamp=0');
  expect([answer.method.total_items, ids(answer)]).toEqual([2, [1, 2]]);
  const board = (limit: number) => eventData(world.views, limit).basicLivescore({ timestamp: 0 }, EVERYTHING);
  expect(board(2).total).toBe(2);
  expect(() => board(1)).toThrow('Invalid parameter');
});

test('lists an event again when it is published after its deletion, and not for a late report from before', async () => {
  const T = 1_790_000_000;
  const list = () => idsAt('/v2/events?season_id=25528');
  world.play(eventMessage({ ut: T }, { id: 1 }), eventMessage({ ut: T + 5 }, { id: 1, action: 'delete' }));
  world.play(eventMessage({ ut: T + 4 }, { id: 1 }));
  expect(await list()).toEqual([]);
  world.play(eventMessage({ ut: T + 6 }, { id: 1 }));
  expect(await list()).toEqual([1]);
});

test('reuses the answer of an unchanged board, and renders a changed one', async () => {
  world.play(eventMessage({}, { id: 1 }));
  const before = await ask(BOARD);
  world.give();
  expect((await ask(BOARD)).data).toEqual(before.data);
  world.play(eventMessage({ ut: 1_790_000_001 }, { id: 1, status_id: 34 }));
  expect(eventsOf(await ask(BOARD))[0]?.status_id).toBe(34);
  world.play(eventMessage({}, { id: 4 }));
  expect(await idsAt(BOARD)).toEqual([1, 4]);
});

test('shows no client an event outside its contract after showing it to another', async () => {
  world.play(eventMessage({}, { id: 1 }));
  await ask('/v2/events/1');
  await ask('/v2/events/1', 403, 'nine');
  await ask('/v2/events/1');
});

test('renders an event with all its incidents again after it changed', async () => {
  world.play(eventMessage({}, { id: 1 }));
  expect((await event(1)).status_id).toBe(33);
  const goal = incidentMessage({ ut: 1_790_000_001 }, {}, { id: 1, status_id: 34 });
  world.play(incidentMessage({}, KICK_OFF, { id: 1 }), goal);
  const shown = await event(1);
  expect(shown.status_id).toBe(34);
  expect((shown.events_incidents as { id: string }[]).map(({ id }) => id)).toEqual(['5-100', '5-110']);
});

test('shows only scores and status in simple lists', async () => {
  world.play(incidentMessage({}, KICK_OFF), incidentMessage());
  const [simple] = eventsOf(await ask('/v2/events-simple?season_id=25528'));
  const names =
    'id name start_date sport_id status_id status_name status_type relation_status clock_time clock_status played_time ' +
    'round_id round_name winner_id item_status ut guard_reasons participants';
  expect(Object.keys(simple ?? {}).sort()).toEqual(names.split(' ').sort());
  const fields = { status_name: '1st half', played_time: 570, guard_reasons: ['under_review'] };
  expect(simple).toMatchObject({ id: 7_000_001, ut: 1_790_000_000, ...fields });
  expect(simple?.participants).toEqual(
    [101, 102].map((id, at) => ({
      id,
      counter: at + 1,
      name: `Team ${id}`,
      short_name: `T${id}`,
      acronym: `T${at + 1}`,
      results: [
        { id: 411, short_name: 'Winner', name: 'Winner', value: '0' },
        { id: 2, short_name: 'Result', name: 'Result', value: at === 0 ? '1' : '0' },
      ],
    })),
  );
  const [basic] = eventsOf(await ask('/v2/basic-livescore?timestamp=0'));
  expect(basic).toEqual(simple);
});

/** Both sides with a reported score. */
function sides(home: number | null, away: number | null, [first, second] = [101, 102]) {
  const side = (id: number | undefined, counter: number, value: number | null) => ({
    id,
    counter,
    name: `Team ${id}`,
    stats: [{ id: 20, value: 4 }],
    results: [...(value === null ? [] : [{ id: 2, value }]), { id: 411, value: 0 }],
  });
  return [side(first, 1, home), side(second, 2, away)];
}

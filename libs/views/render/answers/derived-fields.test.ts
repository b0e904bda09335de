/** Fields of an event that depend on others, reported by a list before a message changed the others. */
import type { FastifyInstance } from 'fastify';
import { beforeEach, expect, test } from 'vitest';
import { eventMessage } from '#ingestion/testing/messages.ts';
import { askApi, ViewsWorld } from '../../testing/world.ts';

const T = 1_790_000_000;

let world: ViewsWorld;
let app: FastifyInstance;
let events = 100;

beforeEach(async () => {
  world = new ViewsWorld();
  app = await world.server();
});

type Fields = Readonly<Record<string, unknown>>;

/** Returns the served event after these messages, a minute apart. */
async function served(...fields: readonly Fields[]): Promise<Fields> {
  const id = events++;
  world.play(...fields.map((event, minute) => eventMessage({ ut: T + 60 * minute }, { id, ...event })));
  const { data } = await askApi(app, `/v2/events/${id}`);
  return data.competition.season.stage.group.event;
}

const finished = { status_id: 11, status_type: 'finished' };

test('shows the name of its status, not of one that a list showed before', async () => {
  const list = { status_id: 33, status_name: 'First half' };
  expect((await served(list)).status_name).toBe('First half');
  expect((await served(list, { status_id: 34 })).status_name).toBe('2nd half');
});

test('omits the names of the levels above it, even if a message has them', async () => {
  const named = { competition_name: 'Cup', season_name: '2026', stage_name: 'Final', group_name: 'A' };
  const event = await served({ ...named, area_name: 'Europe', tour_name: '', gender: 'male' });
  expect(event).toMatchObject({ gender: 'male', competition_id: 6628 });
  expect(
    Object.keys(event).filter((name) => /^(competition|season|stage|group|area|tour)_.*name$/.test(name)),
  ).toEqual([]);
});

test('does not show the name of a previous round', async () => {
  expect(await served({ round_id: 1, round_name: 'Round 1' }, { round_id: 2 })).not.toMatchObject({
    round_name: 'Round 1',
  });
});

test('shows the computed played time of soccer, whatever the provider reports', async () => {
  const list = { status_id: 33, clock_time: 600, played_time: 599 };
  expect((await served(list)).played_time).toBe(600);
  const next = { status_id: 34, clock_time: 300 };
  expect((await served(list, next)).played_time).toBe(3_000);
  expect((await served(list, next, finished)).played_time).toBe(5_400);
  // Before kick-off, and for other sports, only the provider's is known.
  expect((await served({ status_id: 1, played_time: 7 })).played_time).toBe(7);
  const basketball = { sport_id: 1, status_id: 8, clock_time: 60, played_time: 700 };
  expect((await served(basketball)).played_time).toBe(700);
  expect(
    (await served(basketball, { ...basketball, status_id: 10, played_time: undefined })).played_time,
  ).toBe(null);
});

test('has a clock of 0 when finished, whatever was reported last', async () => {
  expect((await served({ status_id: 34, clock_time: 2_880 }, finished)).clock_time).toBe(0);
  expect((await served({ ...finished, clock_time: 2_880 })).clock_time).toBe(0);
});

test('is listed again when it is published after its deletion', async () => {
  const list = async () => (await askApi(app, '/v2/events?season_id=25528')).method.total_items;
  world.play(eventMessage({ ut: T }, { id: 1 }), eventMessage({ ut: T + 1 }, { id: 1, action: 'delete' }));
  expect(await list()).toBe(0);
  world.play(eventMessage({ ut: T + 2 }, { id: 1 }));
  expect(await list()).toBe(1);
  // A late report from before the deletion.
  world.play(eventMessage({ ut: T }, { id: 2 }), eventMessage({ ut: T + 5 }, { id: 2, action: 'delete' }));
  world.play(eventMessage({ ut: T + 4 }, { id: 2 }));
  expect(await list()).toBe(1);
});

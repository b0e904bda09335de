/** The changes that a batch of records makes, and the events that it makes stale. */
import { beforeEach, expect, test, vi } from 'vitest';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import type { ViewRecord } from '../records.ts';
import { catalogueRecord } from '../testing/records.ts';
import { askApi, normalized, RECEIVED_AT, ViewsWorld } from '../testing/world.ts';

const EVENT = 7_000_001;
const AT = { partition: 0, offset: 0, timestamp: RECEIVED_AT };

let world: ViewsWorld;

beforeEach(() => {
  world = new ViewsWorld();
});

function name(kind: string, id: number, ut: number, text: string): ViewRecord {
  const body = { id, name: text, sport_id: 5, ut };
  return { ...catalogueRecord(kind, id, null, body, ut), timestamp: RECEIVED_AT };
}

/** Returns the versions of the lists of events, and of the names of levels. */
const versions = () => [world.views.listVersion, world.views.nameVersion];

/** Returns by how much `act` raises each version. */
function grown(act: () => void): number[] {
  const before = versions();
  act();
  return versions().map((version, at) => version - (before[at] ?? 0));
}

const heartbeat = (key: string): ViewRecord => {
  const [source = '', event] = key.split('/');
  const event_id = event === undefined ? null : Number(event);
  const valid_until = event === undefined ? RECEIVED_AT + 1_000 : null;
  const value = { ...sampleOf('feed-health'), source, event_id, state: 'alive', reason: null, valid_until };
  return { topic: 'feed-health', ...AT, key, value: { ...value, term: 1 } as never };
};

test('applies a batch of heartbeats alone without storing it', () => {
  const written = () => [...world.views.positions('next')];
  const before = written();
  expect(grown(() => world.give(heartbeat('webhook'), heartbeat('feed')))).toEqual([0, 0]);
  expect(world.views.health.sources(RECEIVED_AT).map(({ source }) => source)).toEqual(['feed', 'webhook']);
  expect(written()).toEqual(before);
});

test('stores the health of a match, heartbeats beside other records, and no new version for either', () => {
  expect(grown(() => world.give(heartbeat('webhook'), heartbeat('webhook/1')))).toEqual([0, 0]);
  expect([...world.views.positions('next').keys()]).toEqual(['test-0']);
  expect(world.views.matchHealth(1, RECEIVED_AT)).toMatchObject({ believed: true });
  expect(grown(() => world.give(heartbeat('webhook'), name('season', 1, 2, 'one')))).toEqual([1, 1]);
  expect(world.views.catalogue.name('season', 1)).toBe('one');
});

test('renders only the last state of a match in a batch, which then answers as its records one by one', async () => {
  const messages = [
    eventMessage({}, { id: EVENT, name: 'first name' }),
    incidentMessage({ ut: 1_790_000_001 }),
    eventMessage({ ut: 1_790_000_002 }, { id: EVENT, name: 'second name' }),
    eventMessage({ ut: 1_790_000_003 }, { id: 2 }),
  ].map((message) => normalized(message));
  const single = new ViewsWorld();
  for (const message of messages) for (const record of single.recordsOf(message)) single.give(record);
  const put = vi.spyOn(world.views.matches, 'put');
  world.give(...messages.flatMap((message) => world.recordsOf(message)));
  expect(put.mock.calls.map(([{ event_id, name }]) => [event_id, name])).toEqual([
    [EVENT, 'second name'],
    [2, expect.anything()],
  ]);
  for (const path of ['/v2/events/7000001', '/v2/events/2'])
    expect(await askApi(await world.server(), path)).toEqual(await askApi(await single.server(), path));
});

test('counts a name as new once, and once more when it is deleted', () => {
  expect(grown(() => world.give(name('season', 1, 2, 'one')))).toEqual([1, 1]);
  expect(grown(() => world.give(name('season', 1, 2, 'one')))).toEqual([0, 0]);
  expect(grown(() => world.give(name('season', 1, 1, 'old')))).toEqual([0, 0]);
  // A new name counts also if the last record of its batch is old.
  expect(grown(() => world.give(name('season', 1, 3, 'two'), name('season', 1, 1, 'old')))).toEqual([1, 1]);
  const gone: ViewRecord = { topic: 'catalogue', ...AT, key: 'season/1', value: null };
  expect(grown(() => world.give(gone))).toEqual([1, 1]);
  expect(world.views.catalogue.name('season', 1)).toBeNull();
});

test('gives names of the provider a length, in events, incidents and catalogues', () => {
  const long = 'x'.repeat(100_000);
  world.give(name('season', 1, 2, long));
  world.play(eventMessage({ name: long, more: long }, { id: EVENT, name: long }));
  world.play(incidentMessage({ participant_name: long, subparticipant_name: long, more: long }));
  const { views } = world;
  expect(views.catalogue.name('season', 1)).toHaveLength(255);
  const shown = JSON.stringify([views.matches.state(EVENT), views.incidentLog.shown(EVENT)]);
  expect(shown).toContain('xxx…');
  expect(shown).not.toMatch(/x{256}/);
});

test('counts a state as new once, and raises the version of lists', () => {
  expect(grown(() => world.play(eventMessage({}, { id: EVENT })))).toEqual([1, 0]);
  const state = world.views.matches.state(EVENT);
  if (state === null) throw new Error('no state');
  const again: ViewRecord = { topic: 'match-state', ...AT, key: String(EVENT), value: state as never };
  expect(grown(() => world.give(again))).toEqual([0, 0]);
  const gone: ViewRecord = { topic: 'match-state', ...AT, key: String(EVENT), value: null };
  expect(grown(() => world.give(gone))).toEqual([0, 0]);
  expect(world.views.matches.state(EVENT)).toEqual(state);
});

test.each([
  ['record by record', 1],
  ['in one batch', 100],
])('closes the guard of a match whose version went back, and keeps its goals, %s', async (_, size) => {
  const goal = (n: number) =>
    world.recordsOf(normalized(incidentMessage({ id: n, ut: 1_790_000_000 + n }, { id: `5-${n}` })));
  const give = (records: readonly ViewRecord[]): void => {
    for (let at = 0; at < records.length; at += size) world.give(...records.slice(at, at + size));
  };
  const shown = () => world.views.matches.state(EVENT);
  const told: unknown[] = [];
  world.views.events.on('match', (state) => told.push(state));
  const whole = [goal(1), goal(2)].flat();
  world.forget(EVENT);
  give([...whole, ...goal(3)]);
  expect(told.at(-1)).toEqual(shown());
  world.restart();
  expect(shown()).toMatchObject({ version: 2, counting_goals: ['5-1', '5-2'], guard: { safe: false } });
  expect(shown()?.guard.reasons.filter((reason) => reason === 'version_went_back')).toHaveLength(1);
  const answer = JSON.stringify(await askApi(await world.server(), `/v2/events/${EVENT}`));
  expect(answer).toContain(`"guard_reasons":${JSON.stringify(shown()?.guard.reasons)}`);
  give(goal(4));
  expect(shown()).toMatchObject({ version: 2, counting_goals: ['5-3', '5-4'] });
  expect(shown()?.guard.reasons).not.toContain('version_went_back');
});

test('reports an event with a new state or incident as stale', () => {
  const stale: number[] = [];
  world.views.events.on('stale', (id) => stale.push(id));
  world.play(eventMessage({}, { id: 1 }));
  expect(stale.splice(0)).toEqual([1]);
  world.play(incidentMessage());
  expect(stale.splice(0)).toEqual([EVENT]);
  expect(world.views.incidentLog.shown(EVENT).map(({ id }) => id)).toEqual(['5-110']);
});

test('does not show an incident of which only the deletion has arrived', () => {
  world.play(incidentMessage({}, { action: 'delete' }));
  expect(world.views.incidentLog.shown(EVENT)).toEqual([]);
});

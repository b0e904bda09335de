/** Views of some competitions give the same answers as views of all, in whatever order the topics are read. */
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { RestError } from '#contract/rest/errors.ts';
import { OPERATIONS, type OperationName } from '#contract/rest/operations.ts';
import type { Access } from '#contract/rest/provider.ts';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { rounds } from '../../../test/support/rounds.ts';
import type { ViewRecord } from '../records.ts';
import { EventMovedInError } from '../store/coverage.ts';
import { servedAccess } from '../store/served.ts';
import { catalogueRecord } from '../testing/records.ts';
import { EVERYTHING, normalized, RECEIVED_AT, ViewsWorld } from '../testing/world.ts';
import { createProviderData } from './answers/provider-data.ts';

const SERVED = new Set([1]);
const EVENTS = [11, 12, 13] as const;
const TOPICS = ['match-state', 'match-incidents', 'match-transitions', 'normalized-messages'] as const;
type Topic = (typeof TOPICS)[number];
type Records = ReadonlyMap<Topic, readonly ViewRecord[]>;

/** A message of an event with its competition, or with none. */
const eventReport = fc.record({
  event: fc.constantFrom(...EVENTS),
  competition: fc.constantFrom<(number | null)[]>(1, 1, 2, 2, null),
  goal: fc.boolean(),
});
type EventReport = typeof eventReport extends fc.Arbitrary<infer T> ? T : never;

/** Returns the records of messages by topic. */
function recordsOf(messages: readonly EventReport[]): Records {
  const pipeline = new ViewsWorld();
  const records = messages.flatMap(({ event, competition, goal }, n) => {
    const season_id = competition === null ? null : competition * 10;
    const ids = { id: event, season_id, stage_id: null, competition_id: competition };
    const head = { id: n, ut: 1_790_000_000 + n };
    const message = goal
      ? incidentMessage(head, { id: `5-${n % 3}`, confirmation: n % 2 === 0 ? 'tbd' : 'confirmed' }, ids)
      : eventMessage(head, ids);
    return pipeline.recordsOf(normalized(message));
  });
  return new Map(TOPICS.map((topic) => [topic, records.filter((record) => record.topic === topic)]));
}

/** Names of both competitions and their seasons: the whole catalogue is kept. */
const NAMES = [1, 2].flatMap((id) => [name('competition', id, null), name('season', id * 10, id)]);

function name(kind: string, id: number, parent: number | null): ViewRecord {
  return catalogueRecord(kind, id, parent, { id, name: `${kind} ${id}`, sport_id: 5, ut: 1 }, 1);
}

/** Applies records in the order in which `turns` names their topics, then the remaining ones. */
function read(world: ViewsWorld, records: Records, turns: readonly Topic[]): void {
  world.give(...NAMES);
  const left = new Map([...records].map(([topic, of]) => [topic, [...of]]));
  for (const topic of [...turns, ...TOPICS.flatMap((one) => Array(100).fill(one) as Topic[])]) {
    const record = left.get(topic)?.shift();
    if (record !== undefined) world.give(record);
  }
}

/** The order in which a replica reads when it starts. */
const STATES_FIRST: readonly Topic[] = Array(100).fill('match-state');

/** Returns views of the served competitions, rebuilt if an event moved into one. */
function limitedViews(records: Records, turns: readonly Topic[]): ViewsWorld {
  const world = new ViewsWorld(SERVED);
  try {
    read(world, records, turns);
    return world;
  } catch (error) {
    if (!(error instanceof EventMovedInError)) throw error;
  }
  const rebuilt = new ViewsWorld(SERVED);
  read(rebuilt, records, [...STATES_FIRST, ...turns]);
  return rebuilt;
}

const LISTS: readonly (readonly [name: OperationName, query: Readonly<Record<string, string>>])[] = [
  ['events.index', { date_from: '2026-08-15' }],
  ['events.index', { date_from: '2026-08-15', timestamp: '0' }],
  ['events.index', { season_id: '10' }],
  ['livescore.index', { date_from: '2026-08-15' }],
  ['basic-livescore.index', { timestamp: '0' }],
  ['competitions.index', {}],
  ['stages.index', {}],
];
const OF_EVENT: typeof LISTS = [
  ['events.show', {}],
  ['events.incidents', {}],
  ['events.incidents', { deleted: 'yes' }],
  ['events.important-incidents', {}],
  ['feed.show', {}],
];

/** Returns what a client gets: the text of the data, or the code of the refusal. */
async function answersOf(world: ViewsWorld, access: Access) {
  const data = createProviderData(world.views);
  const answer = async (name: OperationName, query: object, id = 0): Promise<string> => {
    try {
      const operation = OPERATIONS.find((one) => one.name === name);
      if (operation === undefined) throw new Error(`no operation ${name}`);
      const prepared = operation.prepare(query, id, RECEIVED_AT / 1000);
      const { data: found } = await prepared.answer(data, access);
      if (typeof found === 'string' || Buffer.isBuffer(found)) return String(found);
      let text = '';
      for await (const part of found) text += part;
      return text;
    } catch (error) {
      if (error instanceof RestError) return error.code;
      throw error;
    }
  };
  const lists: string[] = [];
  for (const [name, query] of LISTS) lists.push(await answer(name, query));
  const events = [];
  for (const id of EVENTS) {
    const answers: string[] = [];
    for (const [name, query] of OF_EVENT) answers.push(await answer(name, query, id));
    events.push({ id, answers, story: world.views.incidentLog.story(id) });
  }
  const feed: { data: { event: { id: number } } }[] = JSON.parse(
    await answer('feed.index', { timestamp: '1789990000' }),
  );
  return { lists, events, feed };
}

test('answers as views of all competitions do to a client of these ones, whichever topic is read first', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(eventReport, { minLength: 1, maxLength: 12 }),
      fc.array(fc.constantFrom(...TOPICS), { maxLength: 40 }),
      async (messages, turns) => {
        const records = recordsOf(messages);
        const all = new ViewsWorld();
        read(all, records, []);
        const wanted = await answersOf(all, { ...EVERYTHING, competitions: SERVED });
        const got = await answersOf(limitedViews(records, turns), servedAccess(EVERYTHING, SERVED));
        expect(got.lists).toEqual(wanted.lists);
        const isShown = (id: number) => SERVED.has(all.views.matches.state(id)?.competition_id ?? 0);
        for (const [at, event] of wanted.events.entries())
          if (isShown(event.id)) expect(got.events[at]).toEqual(event);
          else expect(new Set(got.events[at]?.answers)).toEqual(new Set(['NOT_SERVED']));
        const ofShown = (feed: typeof got.feed) => feed.filter(({ data }) => isShown(data.event.id));
        expect(ofShown(got.feed)).toEqual(ofShown(wanted.feed));
        for (const message of got.feed) expect(wanted.feed).toContainEqual(message);
      },
    ),
    { numRuns: rounds(30) },
  );
});

/** SQLite's words for reading a table with rows of every event without an index. */
const GROWING =
  /^SCAN (events|sides|incidents|updated_incidents|deliveries|stories|feed|feed_texts|outside)$/;

/** Returns the number of rows of an event in a table. */
const rowsOf = (world: ViewsWorld, table: string, id: number) =>
  world.views.sql.value<number>(
    `SELECT count(*) FROM ${table} WHERE ${table === 'events' ? 'id' : 'event_id'} = ?`,
    id,
  );

/** A goal, or another message, in an event of a competition. */
const move = (event: EventReport['event'], competition: number | null, goal = true) => {
  return { event, competition, goal };
};

test('keeps no record of an event outside, even if it arrived before the state', () => {
  const records = recordsOf([move(11, 2), move(12, 1), move(11, null)]);
  const world = new ViewsWorld(SERVED);
  read(world, records, ['normalized-messages', 'match-incidents', 'match-transitions', 'match-transitions']);
  for (const table of ['events', 'sides', 'incidents', 'deliveries', 'stories', 'feed']) {
    expect(rowsOf(world, table, 11), table).toBe(0);
    expect(rowsOf(world, table, 12), table).toBeGreaterThan(0);
  }
  expect(world.views.sql.column('SELECT count(*) FROM feed_texts')).toEqual([1]);
  expect(world.views.matches.live(world.now / 1000).map(({ event_id }) => event_id)).toEqual([12]);
});

test('demands a rebuild for an event that moves into a served competition after records of it were left out', () => {
  const records = recordsOf([move(11, 2), move(11, 1, false)]);
  const moved = new ViewsWorld(SERVED);
  const turns = ['match-state', 'match-incidents', 'match-state'] as const;
  expect(() => read(moved, records, turns)).toThrow(EventMovedInError);
  const rebuilt = new ViewsWorld(SERVED);
  read(rebuilt, records, STATES_FIRST);
  expect(rebuilt.views.incidentLog.shown(11)).toHaveLength(1);
});

test('scans no table that grows with events while views are built', () => {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  onTestFinished(() => prepare.mockRestore());
  const world = new ViewsWorld(SERVED);
  const messages = [move(11, 2), move(12, 1), move(13, null), move(13, 2), move(12, 2), move(11, null)];
  read(world, recordsOf(messages), ['normalized-messages', 'match-incidents', 'match-transitions']);
  const prepared = prepare.mock.calls.map(([text]) => text);
  const texts = new Set(prepared.filter((text) => !/^(CREATE|PRAGMA)/.test(text)));
  expect(texts).toContain('DELETE FROM feed WHERE event_id = ?');
  const scans = [...texts].flatMap((text) =>
    world.views.sql
      .of(`EXPLAIN QUERY PLAN ${text}`)
      .all()
      .filter(({ detail }) => GROWING.test(String(detail)))
      .map(({ detail }) => `${detail}: ${text}`),
  );
  expect(scans).toEqual([]);
});

import type { FastifyInstance } from 'fastify';
import { beforeEach, expect, test } from 'vitest';
import { normalizeSnapshot } from '#ingestion/normalize.ts';
import { incidentMessage, incidentRecord } from '#ingestion/testing/messages.ts';
import { askApi, normalized, RECEIVED_AT, ViewsWorld } from '../../testing/world.ts';

let world: ViewsWorld;
let app: FastifyInstance;

beforeEach(async () => {
  world = new ViewsWorld();
  app = await world.server();
  const at = (seconds: number, incident: object) =>
    world.take(normalized(incidentMessage({}, { ...incident }), RECEIVED_AT + seconds * 1_000));
  at(3, { id: '5-9', confirmation: 'confirmed' });
  at(1, { id: '5-10', confirmation: 'tbd', participant_id: 102 });
  at(2, { id: '5-11', incident_id: 408, confirmation: null });
  at(4, { id: '5-12', confirmation: 'confirmed' });
  at(5, { id: '5-12', action: 'delete' });
  at(6, { id: '5-10', ut: 1_790_000_001, confirmation: 'cancelled', participant_id: 102 });
});

async function ask(query: string) {
  const { data, method } = await askApi(app, `/v2/events/7000001/incidents?${query}`);
  return { ids: data.map(({ id }: { id: string }) => id), total: method.total_items, data };
}

/** Applies a complete list of incidents, `seconds` later. */
function takeList(seconds: number, ids: readonly string[]): void {
  const incidents = ids.map((id) => incidentRecord({ id }));
  const snapshot = normalizeSnapshot(
    { messageId: `s${seconds}`, eventId: 7_000_001, time: 1_790_000_000 + seconds, incidents },
    { origin: 'feed', deliveryId: 'd', receivedAt: RECEIVED_AT + seconds * 1_000 },
  );
  if (snapshot.kind !== 'normalized') throw new Error(snapshot.kind);
  world.take(snapshot.message);
}

test('orders incidents by first delivery, also after a snapshot has listed them', async () => {
  takeList(100, ['5-9', '5-10', '5-11']);
  expect((await ask('sort_type=occurred_at')).ids).toEqual(['5-10', '5-11', '5-9']);
});

test('marks what the latest list omits, and shows why the guard is closed in every list of events', async () => {
  const marks = async () => {
    const event = (await askApi(app, '/v2/events/7000001')).data.competition.season.stage.group.event;
    const { data } = await askApi(app, '/v2/basic-livescore?timestamp=0');
    const [simple] = data.competitions[0].seasons[0].stages[0].groups[0].events;
    const incidents = [...event.events_incidents, ...(await ask('')).data];
    return {
      missing: incidents.flatMap(({ id, missing }) => (missing === undefined ? [] : [`${id} ${missing}`])),
      reasons: [event.guard_reasons, simple.guard_reasons],
    };
  };
  takeList(10, ['5-10', '5-11']);
  const closed = await marks();
  expect(closed.missing).toEqual(['5-9 yes', '5-9 yes']);
  for (const reasons of closed.reasons) expect(reasons).toContain('missing_from_list');
  takeList(20, ['5-9', '5-10', '5-11']);
  const opened = await marks();
  expect(opened.missing).toEqual([]);
  for (const reasons of opened.reasons) expect(reasons ?? []).not.toContain('missing_from_list');
});

test('returns the whole story for the board, removed incidents included', () => {
  expect(world.views.incidentLog.shown(7000001).map(({ id, removed }) => [id, removed])).toEqual([
    ['5-10', false],
    ['5-11', false],
    ['5-12', true],
    ['5-9', false],
  ]);
  const kinds = world.views.incidentLog
    .story(7000001)
    .map(({ kind, incident_id }) => `${kind} ${incident_id ?? ''}`);
  expect(kinds).toContain('incident_cancelled 5-10');
  expect(kinds).toContain('goal_cancelled 5-12');
  expect(kinds.join()).not.toContain('5-11');
});

import type { FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, test } from 'vitest';
import { withFlags } from '#contract/provider-message.ts';
import type { Access } from '#contract/rest/provider.ts';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { EVERYTHING, normalized, RECEIVED_AT, ViewsWorld } from '../../testing/world.ts';
import { renderFeedMessage } from '../feed-message.ts';

const UT = 1_790_000_000;
const ONLY_9: Access = { clientId: 2, competitions: new Set([9]), operations: null };

describe('a restored message', () => {
  test.each([
    ['an incident', incidentMessage()],
    ['a delete', incidentMessage({}, { action: 'delete' })],
    ['an event', eventMessage()],
    ['a deleted event', eventMessage({}, { action: 'delete' })],
    ['an incident with its own time', incidentMessage({}, { ut: UT + 7, properties: { a: [1, null] } })],
    ['a message with an id and a uuid', eventMessage({ uuid: '007' })],
    ['a message without a source', eventMessage({ source: undefined })],
    ['an event of one field', { id: 1, type: 'event', ut: UT, data: { event: { id: 5, clock_time: 3 } } }],
    ['an event of no field', { id: 1, type: 'event', ut: UT, data: { event: { id: 5 } } }],
  ])('normalizes to the same form: %s', (_name, message) => {
    const first = normalized(message);
    const again = renderFeedMessage(first);
    const { incident } = first;
    // The contract has no flag without a value.
    const flags = incident === null ? null : withFlags(incident.incident);
    expect(normalized(JSON.parse(again?.json ?? ''))).toEqual({
      ...first,
      incident: incident && { ...incident, incident: { ...incident.incident, ...flags } },
    });
    const { data } = JSON.parse(again?.json ?? '');
    expect(again?.json.match(/"action":/g)).toHaveLength(Object.keys(data).length);
  });

  test.each([
    ['a uuid alone', eventMessage({ id: undefined, uuid: '007' })],
    ['an id that the poller built', eventMessage({ id: 'event/7000001/1790000000', source: 'rest' })],
  ])('has a number as its id, always the same, for a message with %s', (_name, message) => {
    const first = normalized(message);
    const again = JSON.parse(renderFeedMessage(first)?.json ?? '');
    expect(again).toMatchObject({ id: expect.any(Number), source: message.source === 1 ? 1 : -1 });
    expect(again.uuid).toBe(message.uuid);
    expect(Number.isSafeInteger(again.id)).toBe(true);
    expect(JSON.parse(renderFeedMessage(first)?.json ?? '').id).toBe(again.id);
    const { message_id, ...rest } = normalized(again);
    expect({ ...rest, message_id: first.message_id }).toEqual(first);
    expect(message_id).toBe(String(again.id));
  });
});

describe('the feed', () => {
  let world: ViewsWorld;
  let app: FastifyInstance;

  beforeEach(async () => {
    world = new ViewsWorld();
    app = await world.server({ t: EVERYTHING, nine: ONLY_9 });
  });

  const feed = async (query: string, token = 't') => {
    const answer = await app.inject(`/v2/feed?token=${token}&${query}`);
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json().api.data.map(({ id }: { id: number }) => id);
  };

  test('shows a message also in the window in which it became visible, with a margin, and once if both match', async () => {
    const at = (id: number, delay: number) =>
      world.take(normalized(eventMessage({ id, ut: UT }), (UT + delay) * 1_000));
    at(1, 20);
    at(2, 61);
    expect(await feed(`timestamp=${UT}&timestamp_to=${UT}`)).toEqual([2, 1]);
    // A reader that continues from UT + 30 gets the first one again: a lagging replica may not have shown it.
    expect(await feed(`timestamp=${UT + 30}&timestamp_to=${UT + 61}`)).toEqual([2, 1]);
    expect(await feed(`timestamp=${UT + 31}&timestamp_to=${UT + 61}`)).toEqual([2]);
    expect(await feed(`timestamp=${UT + 72}&timestamp_to=${UT + 90}`)).toEqual([]);
    expect(await feed(`timestamp=${UT}&timestamp_to=${UT + 61}`)).toEqual([2, 1]);
  });

  test('omits messages outside the contract, by the competition of the message, else that of the event', async () => {
    world.play(
      eventMessage({ id: 1 }),
      eventMessage({ id: 2 }, { id: 2, competition_id: 9 }),
      { id: 3, type: 'event', ut: UT, data: { event: { id: 2, clock_time: 3 } } },
      { id: 4, type: 'event', ut: UT, data: { event: { id: 3, clock_time: 3 } } },
      eventMessage({ id: 5 }, { id: 5, competition_id: 9 }),
      eventMessage({ id: 6, ut: UT + 1 }, { id: 5, competition_id: 8 }),
    );
    expect(await feed(`timestamp=${UT}&timestamp_to=${UT + 1}`, 'nine')).toEqual([5, 3, 2]);
  });

  test('shows a message that came by webhook and by polling once', async () => {
    const goal = incidentMessage({ id: 7, ut: UT });
    world.take(normalized(goal));
    world.take({ ...normalized(goal, RECEIVED_AT + 2_000), origin: 'feed' });
    world.play(incidentMessage({ id: 7, ut: UT }, { confirmation: 'cancelled' }));
    // A correction with the same id is another message.
    expect(await feed(`timestamp=${UT}&timestamp_to=${UT}`)).toEqual([7, 7]);
  });

  test('refuses a window that begins before the oldest stored message', async () => {
    world.play(eventMessage({ id: 1 }));
    world.take(normalized(eventMessage({ id: 2, ut: UT + 10 }), (UT + 10) * 1_000));
    world.views.feed.sweep((UT + 5) * 1_000);
    const answer = await app.inject(`/v2/feed?token=t&timestamp=${UT + 4}&timestamp_to=${UT + 20}`);
    expect([answer.statusCode, answer.json().api.error]).toEqual([
      400,
      { message: 'The window begins before what the feed still has', internal_code: 7 },
    ]);
    expect(await feed(`timestamp=${UT + 5}&timestamp_to=${UT + 20}`)).toEqual([2]);
  });

  test('lists no message after a sweep of its time', async () => {
    world.play(eventMessage({ id: 1 }));
    world.take(normalized(eventMessage({ id: 2 }), RECEIVED_AT + 1_000));
    expect(world.views.feed.sweep(RECEIVED_AT + 1)).toBe(false);
    expect(await feed(`timestamp=${UT}&timestamp_to=${UT}`)).toEqual([2]);
  });

  test('omits messages that are deleted while they are read', async () => {
    world.play(eventMessage({ id: 1 }), eventMessage({ id: 2 }));
    const found = await world.views.feed.ofEvent(7000001);
    world.views.feed.sweep(RECEIVED_AT + 1);
    expect(found.total).toBe(2);
    for await (const text of found.data) expect(text).toBe('[]');
  });
});

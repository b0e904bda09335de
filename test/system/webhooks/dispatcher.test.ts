import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WebhookProgress } from '#records/types.ts';
import { verify } from '#signing/signing.ts';
import { readLatest } from '#topics/follow.ts';
import { Registry } from '#topics/registry.ts';
import { backbone } from '../../setup/backbone.ts';
import { clients, received } from '../../support/api.ts';
import { atEnd } from '../../support/at-end.ts';
import { answers, HttpsReceiver, type ReceivedRequest } from '../../support/https-receiver.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { until, untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { publishValues } from '../../support/publish-values.ts';
import { startDispatcher, subscribe, webhooks } from '../../support/webhooks.ts';

const SECRET = '0123456789abcdef0123456789ABCDEF';
const connection = backbone();
let pipeline: Pipeline | undefined;

/** Starts a match processor for all tests of this file; each test has its own matches and receivers. */
beforeAll(async () => {
  pipeline = await Pipeline.create({ ...connection, services: ['match-processor', 'webhook-dispatcher'] });
  await pipeline.startProcessor().ready();
});

let ut = Math.floor(Date.now() / 1_000);

/** Returns a goal, or a later report of it, in a match of a competition. */
function goal(eventId: number, id: string, competition: number, more: object = {}) {
  ut += 1;
  return {
    id: ut,
    type: 'incident',
    ut,
    data: {
      incident: { id, action: 'insert', incident_id: 413, participant_id: 1, confirmation: 'tbd', ...more },
      event: { id: eventId, competition_id: competition, status_id: 33, status_type: 'live', clock_time: ut },
    },
  };
}

async function feed(...messages: readonly unknown[]): Promise<void> {
  await pipeline?.feed(received(...messages));
}

type Message = {
  readonly id: number;
  readonly type: string;
  readonly data: { readonly incident?: { readonly id: string; readonly action: string } };
};

/** Returns the messages that a receiver accepted, each once, in the order of first arrival. */
function messagesOf(requests: readonly ReceivedRequest[]): Message[] {
  const seen = new Map<number, Message>();
  for (const { body } of requests)
    for (const message of JSON.parse(body.toString()) as Message[])
      if (!seen.has(message.id)) seen.set(message.id, message);
  return [...seen.values()];
}

const incidents = (receiver: HttpsReceiver) =>
  messagesOf(receiver.received).flatMap(({ data: { incident } }) =>
    incident === undefined ? [] : [`${incident.action} ${incident.id}`],
  );

async function hasIncidents(receiver: HttpsReceiver, ids: readonly string[]): Promise<void> {
  await until(`${ids.join(', ')} arrived`, () =>
    incidents(receiver).length >= ids.length ? true : undefined,
  );
  expect(incidents(receiver)).toEqual(ids);
}

/**
 * Starts a dispatcher that is stopped gracefully after its tests: the group would wait for the session of a killed one.
 */
async function dispatcher(settings: Readonly<Record<string, string>> = {}): Promise<TestService> {
  const service = await startDispatcher(connection, settings);
  atEnd(() => service.stop());
  await service.ready();
  return service;
}

/** Returns the row of `webhooks list` for a subscription. */
async function row(id: string): Promise<string> {
  const line = (await webhooks(connection, 'list')).split('\n').find((text) => text.startsWith(id));
  return line ?? '';
}

/** Returns the committed progress of a subscription. */
async function progressOf(id: string): Promise<WebhookProgress | undefined> {
  const registry = new Registry({ url: connection.registryUrl, prefix: connection.prefix });
  return (await readLatest('webhook-progress', { ...connection, registry })).get(id);
}

/** Returns the rows of `webhooks undelivered`, without the header. */
async function undelivered(id: string): Promise<string[]> {
  return (await webhooks(connection, `undelivered ${id}`)).split('\n').slice(1).filter(Boolean);
}

describe('the messages of a client', () => {
  test('match its contract and its types, are signed, and stop once it is disabled', async () => {
    await dispatcher();
    const [all, some, none] = [
      await HttpsReceiver.start(),
      await HttpsReceiver.start(),
      await HttpsReceiver.start(),
    ];
    await subscribe(connection, { url: all.url, secret: SECRET });
    await subscribe(connection, { url: some.url, secret: SECRET, types: ['incident'] }, [12]);
    const disabled = await subscribe(connection, { url: none.url, secret: SECRET });
    const clientId = /client (\d+)/.exec(await row(disabled))?.[1];
    await clients(connection, `disable ${clientId}`);
    await untilTrue('it is disabled', async () => (await row(disabled)).includes('client disabled'));

    await feed(
      goal(1001, '5-1', 11),
      goal(1002, '5-2', 12),
      goal(1002, '5-2', 12, { confirmation: 'confirmed' }),
    );
    await feed({ ...goal(1002, '5-9', 12), type: 'event', data: { event: { id: 1002, status_id: 34 } } });
    await feed(goal(1002, '5-2', 12, { action: 'delete' }));
    await hasIncidents(some, ['insert 5-2', 'update 5-2', 'delete 5-2']);
    await untilTrue('all arrived', () => messagesOf(all.received).length >= 5);
    expect(
      messagesOf(all.received)
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(['event', ...Array.from({ length: 4 }, () => 'incident')]);
    expect(none.received).toEqual([]);
    for (const { body, headers } of all.received) {
      const signature = {
        timestamp: String(headers['x-signature-expiration-timestamp']),
        signature: String(headers['x-signature-sha256']),
      };
      expect(verify(body, signature, [SECRET], Date.now())).toBe('ok');
    }
  });
});

/** Waits until `wanted` messages of an event are composed. */
async function composed(eventId: number, wanted: number): Promise<void> {
  await untilTrue(`${wanted} messages of ${eventId} are composed`, async () => {
    let count = 0;
    await pipeline?.read('webhook-messages', ({ event_id }) => {
      if (event_id === eventId) count += 1;
    });
    return count >= wanted;
  });
}

// Commands while dispatchers are killed: test/system/faults/hostile-receivers.test.ts.
describe('touchline webhooks', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await dispatcher();
  });
  afterAll(() => service.stop());

  test('shows a failing webhook, its last outcome and backlog, and its recovery', async () => {
    const receiver = await HttpsReceiver.start(answers.error);
    const id = await subscribe(connection, { url: receiver.url, secret: SECRET });
    await feed(goal(1200, '5-1', 11), goal(1200, '5-2', 11));
    await untilTrue('it fails', async () => /FAILING since .* attempts/.test(await row(id)));
    expect(await undelivered(id.slice(0, 6))).toHaveLength(2);
    expect(await row(id)).toContain('status 500');
    receiver.answerWith(answers.accepted);
    // A webhook is delivering again with the first accepted message; the other one follows.
    await untilTrue('both arrive', async () => (await webhooks(connection, `undelivered ${id}`)) === '');
    await untilTrue('it is said to deliver', async () => / delivering +2/.test(await row(id)));
    expect(await service.metric('touchline_dispatcher_attempts_total', 'outcome="status"')).toBeGreaterThan(
      0,
    );
    expect(await service.metric('touchline_dispatcher_messages_total')).toBeGreaterThan(1);
  });

  test('removes the progress of a deleted webhook', async () => {
    const receiver = await HttpsReceiver.start();
    const id = await subscribe(connection, { url: receiver.url, secret: SECRET });
    await untilTrue('it is known', async () => (await row(id)).includes('delivering'));
    const clientId = /client (\d+)/.exec(await row(id))?.[1];
    await clients(connection, `webhook remove ${clientId} ${id} --yes`);
    await untilTrue('its progress is removed', async () => (await progressOf(id)) === undefined);
    await feed(goal(1500, '5-1', 11));
    await composed(1500, 1);
    expect(receiver.received).toEqual([]);
  });
});

test('sends everything again when webhook-messages ends before the delivered offset', async () => {
  const receiver = await HttpsReceiver.start();
  const id = await subscribe(connection, { url: receiver.url, secret: SECRET }, [77]);
  await feed(goal(1650, '5-1', 77));
  const first = await dispatcher();
  await hasIncidents(receiver, ['insert 5-1']);
  expect(await first.stop()).toBe(0);
  const before = receiver.received.length;
  // As after the topic was created again: the offsets of its progress do not exist.
  const value = (await progressOf(id)) ?? expect.fail('no progress');
  const next = value.next.map(({ partition }) => ({ partition, offset: 1_000_000 }));
  await publishValues(connection, 'webhook-progress', [{ key: id, value: { ...value, next } }]);
  await dispatcher();
  await untilTrue('it is sent again', () => receiver.received.length > before);
  await untilTrue('its position is in the topic again', async () =>
    ((await progressOf(id))?.next ?? []).some(({ offset }) => offset < 1_000_000),
  );
});

test('a failing webhook and a hanging one delay no other', async () => {
  // Killed at the end: a graceful stop would wait for the hanging request.
  await (await startDispatcher(connection, { WEBHOOK_TIMEOUT_MS: '10000' })).ready();
  const [well, hanging] = [await HttpsReceiver.start(), await HttpsReceiver.start(answers.silent)];
  for (const url of [hanging.url, 'https://127.0.0.1:9/', well.url])
    await subscribe(connection, { url, secret: SECRET });
  await feed(goal(1700, '5-1', 11));
  await hasIncidents(well, ['insert 5-1']);
  await untilTrue('the other hangs', () => hanging.received.length > 0);
  for (const n of [2, 3, 4]) {
    const sent = performance.now();
    await feed(goal(1700, `5-${n}`, 11));
    await untilTrue('it arrives', () => incidents(well).length >= n);
    expect(performance.now() - sent).toBeLessThan(8_000);
  }
  expect(hanging.received).toHaveLength(1);
});

test('a receiver that is away for 12 s in play has everything 5 s after it is back, older states only by its choice, old ones marked', async () => {
  // By the contract's schedule its next attempt would be 14 s after the first one, and then 30 s later.
  const service = await dispatcher({ WEBHOOK_RETRY_SECONDS: '' });
  const [all, latest] = [await HttpsReceiver.start(answers.reset), await HttpsReceiver.start(answers.reset)];
  await subscribe(connection, { url: all.url, secret: SECRET }, [61]);
  const id = await subscribe(
    connection,
    { url: latest.url, secret: SECRET, latestOnly: true, limits: { maxAgeSeconds: 5 } },
    [61],
  );
  await untilTrue('both are known', async () => (await row(id)).includes('delivering'));
  const away = Date.now();
  const kinds = { all: [] as string[], latest: ['event'] };
  for (const at of [1, 2, 3, 4]) {
    const next = goal(6001, `5-6${at}`, 61);
    const state = { ...next.data.event, clock_time: ut + 100 };
    await feed(next, { ...goal(6001, '', 61), type: 'event', data: { event: state } });
    kinds.all.push('event', 'incident');
    kinds.latest.push('incident');
    await setTimeout(2_500);
  }
  await setTimeout(away + 12_000 - Date.now());
  const refused = [all.received.length, latest.received.length];
  all.answerWith(answers.accepted);
  latest.answerWith(answers.accepted);
  const back = Date.now();
  const since = (receiver: HttpsReceiver, from = 0) =>
    messagesOf(receiver.received.slice(from)).map(({ type }) => type);
  await untilTrue('all arrived', () => since(all, refused[0]).length >= kinds.all.length);
  await untilTrue('the latest arrived', () => since(latest, refused[1]).length >= kinds.latest.length);
  expect(Date.now() - back).toBeLessThan(5_000);
  expect(since(all, refused[0]).toSorted()).toEqual(kinds.all.toSorted());
  expect(since(latest, refused[1]).toSorted()).toEqual(kinds.latest.toSorted());
  const marks = (receiver: HttpsReceiver, from = 0) =>
    receiver.received.slice(from).map(({ headers }) => headers['x-feed-health']);
  expect(marks(latest)[0]).toBeUndefined();
  expect(marks(latest, refused[1])[0]).toMatch(/^delivery=stale;reason=max_age;age=1\d$/);
  expect(new Set(marks(all))).toEqual(new Set([undefined]));
  await untilTrue('the list has the number of states left out', async () =>
    / 3 +age 5 s +accepted/.test(await row(id)),
  );
  expect(await service.metric('touchline_dispatcher_left_out_total')).toBe(3);
});

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RECEIVED_AT, type ViewsWorld } from '#views/testing/world.ts';
import { CLOSED, changedTable, goalMessage, type League, OPEN } from './testing/league.ts';
import {
  ALL,
  ALL_REVISIONS,
  INITIALIZE,
  LIST,
  NARROW,
  type Revision,
  ServedMcp,
  sessionOf,
} from './testing/served.ts';
import { matchUri, tableUri } from './uris.ts';

let message = 100;

/** Publishes another goal in the match of a league. */
function goal(world: ViewsWorld, league: League): void {
  const n = message++;
  const head = { id: `${n}`, ut: 1_790_000_000 + n };
  world.play(goalMessage(league, head, { id: `5-${n}`, event_time: '20:00' }));
}

/** Returns a list that fills with the URIs of resources that a client is notified of. */
function notified(client: Client): string[] {
  const uris: string[] = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void uris.push(params.uri),
  );
  return uris;
}

/** Subscribes in the way of the client's revision. */
async function subscribe(client: Client, revision: Revision, uris: readonly string[]): Promise<void> {
  if (revision === '2026-07-28') {
    await client.listen({ resourceSubscriptions: [...uris] });
    return;
  }
  for (const uri of uris) await client.subscribeResource({ uri });
}

async function hasStreams(served: ServedMcp, count: number): Promise<void> {
  await expect.poll(() => served.streams()).toBe(count);
}

/** Connects a client, subscribes it, and returns the URIs it is notified of. `streams`: those open then. */
async function subscribed(
  served: ServedMcp,
  revision: Revision,
  uris: readonly string[],
  streams = 1,
): Promise<string[]> {
  const client = await served.connect(revision);
  const notifications = notified(client);
  await subscribe(client, revision, uris);
  await hasStreams(served, streams);
  return notifications;
}

describe.each(ALL_REVISIONS)('a client of revision %s that subscribes', (revision) => {
  test('is notified of a changed match only, once for simultaneous changes', async () => {
    const served = await ServedMcp.start();
    const uris = await subscribed(served, revision, [matchUri(OPEN.match)]);
    goal(served.world, OPEN);
    goal(served.world, OPEN);
    goal(served.world, CLOSED);
    await expect.poll(() => uris).toEqual([matchUri(OPEN.match)]);
    goal(served.world, OPEN);
    await expect.poll(() => uris).toEqual([matchUri(OPEN.match), matchUri(OPEN.match)]);
  });

  test('is notified at once of a match whose feed expires by time alone, recovers or is forgotten', async () => {
    let now = RECEIVED_AT;
    const served = await ServedMcp.start({ now: () => now });
    const heartbeat = (): void => served.world.health(null, { written_at: now, valid_until: now + 1_750 });
    heartbeat();
    for (const match of [OPEN.match, CLOSED.match]) served.world.health(match);
    const uris = await subscribed(served, revision, [matchUri(OPEN.match)]);
    now += 1_749;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(uris).toEqual([]);
    now += 1;
    await expect.poll(() => uris).toEqual([matchUri(OPEN.match)]);
    heartbeat();
    await expect.poll(() => uris).toEqual([matchUri(OPEN.match), matchUri(OPEN.match)]);
    served.world.views.health.apply(`webhook/${OPEN.match}`, null);
    await expect.poll(() => uris).toHaveLength(3);
  });

  test('is notified of a changed table', async () => {
    const served = await ServedMcp.start();
    const uris = await subscribed(served, revision, [tableUri(OPEN.table)]);
    served.world.give(changedTable(OPEN, served.world.views.table(OPEN.table) ?? {}));
    await expect.poll(() => uris).toEqual([tableUri(OPEN.table)]);
  });

  test('is notified of nothing outside its contract, even if that changes meanwhile', async () => {
    const served = await ServedMcp.start({ clients: [ALL, NARROW] });
    const client = await served.connect(revision, NARROW.token);
    const uris = notified(client);
    const wanted = [matchUri(OPEN.match), matchUri(CLOSED.match)];
    if (revision === '2026-07-28') await subscribe(client, revision, wanted);
    else {
      await subscribe(client, revision, [matchUri(OPEN.match)]);
      await expect(client.subscribeResource({ uri: matchUri(CLOSED.match) })).rejects.toThrow('not found');
    }
    await hasStreams(served, 1);
    goal(served.world, CLOSED);
    goal(served.world, OPEN);
    await expect.poll(() => uris).toEqual([matchUri(OPEN.match)]);
    served.clients.set(NARROW.token, { ...NARROW.access, competitions: new Set([CLOSED.competition]) });
    const ofAll = await subscribed(served, revision, [matchUri(OPEN.match)], 2);
    goal(served.world, OPEN);
    await expect.poll(() => ofAll).toEqual([matchUri(OPEN.match)]);
    expect(uris).toEqual([matchUri(OPEN.match)]);
  });

  test('loses its stream within the sweep when its token is revoked', async () => {
    const served = await ServedMcp.start({ limits: { sweepMs: 50 } });
    await subscribed(served, revision, [matchUri(OPEN.match)]);
    served.clients.delete(ALL.token);
    await hasStreams(served, 0);
    expect(await served.metrics.metrics()).toMatch(/mcp_ended_total\{reason="stream_token".*\} [1-9]/);
  });

  test('cannot open more streams than the limit of a token', async () => {
    const served = await ServedMcp.start({ limits: { maxStreamsPerToken: 1 } });
    await subscribed(served, revision, [matchUri(OPEN.match)]);
    const second = await served.connect(revision);
    if (revision === '2026-07-28')
      await expect(second.listen({ resourceSubscriptions: [matchUri(OPEN.match)] })).rejects.toThrow();
    // Calls still work without a stream.
    expect((await second.callTool({ name: 'list_sports' })).isError).toBeUndefined();
    expect(await served.streams()).toBe(1);
  });

  test('may open a stream for one that broke off, however long that was open', async () => {
    const served = await ServedMcp.start({ limits: { maxStreamsPerToken: 1, maxSessionsPerToken: 1 } });
    const first = await served.connect(revision);
    await subscribe(first, revision, [matchUri(OPEN.match)]);
    await hasStreams(served, 1);
    setFlagsFromString('--expose-gc');
    await runInNewContext('gc')({ execution: 'async' });
    await first.close();
    await hasStreams(served, 0);
    await subscribed(served, revision, [matchUri(OPEN.match)]);
  });

  test('cannot subscribe to more resources than the limit', async () => {
    const served = await ServedMcp.start({ limits: { maxSubscriptions: 2 } });
    const client = await served.connect(revision);
    const uris = [matchUri(OPEN.match), matchUri(CLOSED.match), tableUri(OPEN.table)];
    await expect(subscribe(client, revision, uris)).rejects.toThrow();
  });
});

describe('a stream', () => {
  test('ends at the maximum age', async () => {
    let now = RECEIVED_AT;
    const served = await ServedMcp.start({ limits: { sweepMs: 20, streamMaxMs: 1_000 }, now: () => now });
    const client = await served.connect('2026-07-28');
    const subscription = await client.listen({ resourceSubscriptions: [matchUri(OPEN.match)] });
    now += 1_000;
    expect(await subscription.closed).toBe('remote');
    expect(await served.metrics.metrics()).toMatch(/reason="stream_age".*\} 1/);
  });

  test('ends with a result when the server stops', async () => {
    const served = await ServedMcp.start();
    const client = await served.connect('2026-07-28');
    const subscription = await client.listen({ resourceSubscriptions: [matchUri(OPEN.match)] });
    await served.app.close();
    expect(await subscription.closed).toBe('graceful');
  });
});

describe('a session (revision 2025-11-25)', () => {
  /** Connects a client, and returns the header of its session. */
  async function session(served: ServedMcp) {
    const client = new Client({ name: 'test', version: '1' }, { capabilities: {} });
    const headers = { authorization: `Bearer ${ALL.token}` };
    const transport = new StreamableHTTPClientTransport(served.url, { requestInit: { headers } });
    await client.connect(transport);
    onTestFinished(() => client.close());
    return { client, transport, header: { 'mcp-session-id': transport.sessionId ?? '' } };
  }
  const SUBSCRIBE = { ...LIST, method: 'resources/subscribe', params: { uri: matchUri(OPEN.match) } };

  test('is answered by every replica; another replica refuses its subscriptions', async () => {
    const first = await ServedMcp.start();
    const second = await ServedMcp.start({ world: first.world });
    const { header } = await session(first);
    for (const replica of [first, second]) expect((await replica.post(LIST, header)).status).toBe(200);
    expect((await first.post(SUBSCRIBE, header)).status).toBe(200);
    expect((await second.post(SUBSCRIBE, header)).status).toBe(404);
    expect((await second.post(SUBSCRIBE)).status).toBe(400);
    for (const method of ['GET', 'DELETE']) {
      const headers = { ...header, authorization: `Bearer ${ALL.token}`, accept: 'text/event-stream' };
      expect((await fetch(second.url, { method, headers })).status, method).toBe(404);
    }
  });

  test('belongs to one token', async () => {
    const served = await ServedMcp.start({ clients: [ALL, NARROW] });
    const { header } = await session(served);
    const other = { ...header, authorization: `Bearer ${NARROW.token}` };
    expect((await served.post(LIST, other)).status).toBe(404);
  });

  test('ends when it is deleted', async () => {
    const served = await ServedMcp.start();
    const { transport, header } = await session(served);
    await transport.terminateSession();
    await expect.poll(async () => (await served.post(LIST, header)).status).toBe(404);
  });

  test('ends after the idle limit without a request or a stream, and not before', async () => {
    let now = RECEIVED_AT;
    const served = await ServedMcp.start({ limits: { sweepMs: 10, sessionIdleMs: 1_000 }, now: () => now });
    const { client, header } = await session(served);
    await hasStreams(served, 1);
    now += 5_000;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await served.post(LIST, header)).status).toBe(200);
    await client.close();
    await hasStreams(served, 0);
    now += 999;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await served.post(LIST, header)).status).toBe(200);
    now += 1_000;
    await expect.poll(() => served.metrics.metrics()).toMatch(/reason="session_idle".*\} 1/);
    expect((await served.post(LIST, header)).status).toBe(404);
  });

  test('ends for a new one of its token when it is the least recently used, unless all have streams', async () => {
    const served = await ServedMcp.start({ limits: { maxSessionsPerToken: 2 } });
    const begin = async (): Promise<string> => sessionOf(await served.post(INITIALIZE));
    const [first, second, third] = [await begin(), await begin(), await begin()];
    const status = async (id: string) => (await served.post(LIST, { 'mcp-session-id': id })).status;
    expect([await status(first), await status(second), await status(third)]).toEqual([404, 200, 200]);
    for (const id of [second, third]) expect((await served.openStream(id)).status).toBe(200);
    expect((await served.post(INITIALIZE)).status).toBe(503);
  });
});

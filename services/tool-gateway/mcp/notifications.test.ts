import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { incidentMessage } from '#ingestion/testing/messages.ts';
import { RECEIVED_AT, type ViewsWorld } from '#views/testing/world.ts';
import { CLOSED, event, incident, type League, OPEN } from './testing/league.ts';
import { ALL, REVISIONS, type Revision, ServedMcp, type TestClient } from './testing/served.ts';
import { matchUri, tableUri } from './uris.ts';

const NARROW: TestClient = {
  token: 'token-of-narrow',
  access: { clientId: 2, competitions: new Set([OPEN.competition]), operations: null },
};
const revisions = Object.keys(REVISIONS) as Revision[];

let message = 100;

/** Publishes another goal in the match of a league. */
function goal(world: ViewsWorld, league: League): void {
  const n = message++;
  world.play(
    incidentMessage(
      { id: `${n}`, ut: 1_790_000_000 + n },
      incident(league, { id: `5-${n}`, event_time: '20:00' }),
      event(league, league.match),
    ),
  );
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

async function streams(served: ServedMcp): Promise<number> {
  return Number(/^touchline_mcp_streams\S* (\d+)/m.exec(await served.metrics.metrics())?.[1]);
}

describe.each(revisions)('a client of revision %s that subscribes', (revision) => {
  test('is notified of a changed match only, once for simultaneous changes', async () => {
    const served = await ServedMcp.start();
    const client = await served.connect(revision);
    const uris = notified(client);
    await subscribe(client, revision, [matchUri(OPEN.match)]);
    await vi.waitFor(async () => expect(await streams(served)).toBe(1));
    goal(served.world, OPEN);
    goal(served.world, OPEN);
    goal(served.world, CLOSED);
    await vi.waitFor(() => expect(uris).toEqual([matchUri(OPEN.match)]));
    goal(served.world, OPEN);
    await vi.waitFor(() => expect(uris).toEqual([matchUri(OPEN.match), matchUri(OPEN.match)]));
  });

  test('is notified at once of a match whose feed expires by time alone, and again when it recovers', async () => {
    let now = RECEIVED_AT;
    const served = await ServedMcp.start({ now: () => now });
    const heartbeat = (): void => served.world.health(null, { written_at: now, valid_until: now + 1_750 });
    heartbeat();
    for (const match of [OPEN.match, CLOSED.match]) served.world.health(match);
    const client = await served.connect(revision);
    const uris = notified(client);
    await subscribe(client, revision, [matchUri(OPEN.match)]);
    await vi.waitFor(async () => expect(await streams(served)).toBe(1));
    now += 1_749;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(uris).toEqual([]);
    now += 1;
    await vi.waitFor(() => expect(uris).toEqual([matchUri(OPEN.match)]));
    heartbeat();
    await vi.waitFor(() => expect(uris).toEqual([matchUri(OPEN.match), matchUri(OPEN.match)]));
  });

  test('is notified of a changed table', async () => {
    const served = await ServedMcp.start();
    const client = await served.connect(revision);
    const uris = notified(client);
    await subscribe(client, revision, [tableUri(OPEN.table)]);
    await vi.waitFor(async () => expect(await streams(served)).toBe(1));
    const { partition, offset } = { partition: 0, offset: 0 };
    const entry = served.world.views.table(OPEN.table) ?? {};
    served.world.give({
      topic: 'standings',
      partition,
      offset,
      key: String(OPEN.table),
      value: {
        standings_id: OPEN.table,
        version: 2,
        type_id: 2,
        object_type: 'season',
        object_id: OPEN.season,
        competition_id: OPEN.competition,
        season_id: OPEN.season,
        ut: 1,
        cause: null,
        body: JSON.stringify(entry),
      },
    });
    await vi.waitFor(() => expect(uris).toEqual([tableUri(OPEN.table)]));
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
    await vi.waitFor(async () => expect(await streams(served)).toBe(1));
    goal(served.world, CLOSED);
    goal(served.world, OPEN);
    await vi.waitFor(() => expect(uris).toEqual([matchUri(OPEN.match)]));
    served.clients.set(NARROW.token, { ...NARROW.access, competitions: new Set([CLOSED.competition]) });
    const all = await served.connect(revision);
    const ofAll = notified(all);
    await subscribe(all, revision, [matchUri(OPEN.match)]);
    await vi.waitFor(async () => expect(await streams(served)).toBe(2));
    goal(served.world, OPEN);
    await vi.waitFor(() => expect(ofAll).toEqual([matchUri(OPEN.match)]));
    expect(uris).toEqual([matchUri(OPEN.match)]);
  });

  test('loses its stream within the sweep when its token is revoked', async () => {
    const served = await ServedMcp.start({ limits: { sweepMs: 50 } });
    const client = await served.connect(revision);
    await subscribe(client, revision, [matchUri(OPEN.match)]);
    await vi.waitFor(async () => expect(await streams(served)).toBe(1));
    served.clients.delete(ALL.token);
    await vi.waitFor(async () => expect(await streams(served)).toBe(0));
    expect(await served.metrics.metrics()).toMatch(
      /touchline_mcp_ended_total\{reason="stream_token".*\} [1-9]/,
    );
  });

  test('cannot open more streams than the limit of a token', async () => {
    const served = await ServedMcp.start({ limits: { maxStreamsPerToken: 1 } });
    const first = await served.connect(revision);
    await subscribe(first, revision, [matchUri(OPEN.match)]);
    await vi.waitFor(async () => expect(await streams(served)).toBe(1));
    const second = await served.connect(revision);
    if (revision === '2026-07-28')
      await expect(second.listen({ resourceSubscriptions: [matchUri(OPEN.match)] })).rejects.toThrow();
    // Calls still work without a stream.
    expect((await second.callTool({ name: 'list_sports' })).isError).toBeUndefined();
    expect(await streams(served)).toBe(1);
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
  /** Connects a client whose transport shows its session. */
  async function session(
    served: ServedMcp,
  ): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
    const client = new Client({ name: 'test', version: '1' }, { capabilities: {} });
    const headers = { authorization: `Bearer ${ALL.token}` };
    const transport = new StreamableHTTPClientTransport(served.url, { requestInit: { headers } });
    await client.connect(transport);
    onTestFinished(() => client.close());
    return { client, transport };
  }
  const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
  const SUBSCRIBE = {
    jsonrpc: '2.0',
    id: 8,
    method: 'resources/subscribe',
    params: { uri: matchUri(OPEN.match) },
  };

  test('is answered by every replica; another replica refuses its subscriptions', async () => {
    const first = await ServedMcp.start();
    const second = await ServedMcp.start({ world: first.world });
    const { transport } = await session(first);
    const header = { 'mcp-session-id': transport.sessionId ?? '' };
    for (const replica of [first, second]) expect((await replica.post(CALL, header)).status).toBe(200);
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
    const { transport } = await session(served);
    const headers = { 'mcp-session-id': transport.sessionId ?? '', authorization: `Bearer ${NARROW.token}` };
    expect((await served.post(CALL, headers)).status).toBe(404);
  });

  test('ends when it is deleted', async () => {
    const served = await ServedMcp.start();
    const { transport } = await session(served);
    const header = { 'mcp-session-id': transport.sessionId ?? '' };
    await transport.terminateSession();
    await vi.waitFor(async () => expect((await served.post(CALL, header)).status).toBe(404));
  });

  test('ends after the idle limit without a request or a stream, and not before', async () => {
    let now = RECEIVED_AT;
    const served = await ServedMcp.start({ limits: { sweepMs: 10, sessionIdleMs: 1_000 }, now: () => now });
    const { client, transport } = await session(served);
    const header = { 'mcp-session-id': transport.sessionId ?? '' };
    await vi.waitFor(async () => expect(await streams(served)).toBe(1));
    now += 5_000;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await served.post(CALL, header)).status).toBe(200);
    await client.close();
    await vi.waitFor(async () => expect(await streams(served)).toBe(0));
    now += 999;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await served.post(CALL, header)).status).toBe(200);
    now += 1_000;
    await vi.waitFor(async () =>
      expect(await served.metrics.metrics()).toMatch(/reason="session_idle".*\} 1/),
    );
    expect((await served.post(CALL, header)).status).toBe(404);
  });

  test('ends for a new one of its token when it is the least recently used, unless all have streams', async () => {
    const served = await ServedMcp.start({ limits: { maxSessionsPerToken: 2 } });
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    };
    const begin = async (): Promise<string> =>
      (await served.post(initialize)).headers.get('mcp-session-id') ?? '';
    const [first, second, third] = [await begin(), await begin(), await begin()];
    const statuses = [first, second, third].map(
      async (id) => (await served.post(CALL, { 'mcp-session-id': id })).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 200, 200]);
    for (const id of [second, third]) {
      const headers = {
        'mcp-session-id': id,
        authorization: `Bearer ${ALL.token}`,
        accept: 'text/event-stream',
      };
      const stream = await fetch(served.url, { headers });
      expect(stream.status).toBe(200);
      onTestFinished(() => stream.body?.cancel());
    }
    expect((await served.post(initialize)).status).toBe(503);
  });
});

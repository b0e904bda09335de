import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { LIMITS } from './server.ts';
import { ALL, INITIALIZE, LIST, ServedMcp, sessionOf } from './testing/served.ts';

/** Sends a request with the given Host header, which fetch does not allow. Returns the status. */
async function postAs({ app }: ServedMcp, host: string): Promise<number> {
  const headers = { host, authorization: `Bearer ${ALL.token}` };
  return (await app.inject({ method: 'POST', url: '/mcp', headers, payload: LIST })).statusCode;
}

describe('admission of a request', () => {
  test.each([
    ['no token', {}, 'Bearer realm="touchline"'],
    ['another scheme', { authorization: 'Basic dG9rZW4=' }, /^Bearer realm="touchline"$/],
    ['an unknown token', { authorization: 'Bearer unknown' }, /error="invalid_token"/],
    ['a token that is too long', { authorization: `Bearer ${'x'.repeat(2_000)}` }, /error="invalid_token"/],
  ])('401 with WWW-Authenticate: %s', async (_what, headers, challenge) => {
    const served = await ServedMcp.start();
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await fetch(served.url, { method, headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(challenge);
      expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', id: null });
    }
  });

  test('GET and POST take the token as Authorization: Bearer, and nowhere else', async () => {
    const served = await ServedMcp.start();
    const opened = await served.post(INITIALIZE);
    expect(opened.status).toBe(200);
    const session = sessionOf(opened);
    expect((await served.openStream(session)).status).toBe(200);
    const inQuery = new URL(`?token=${ALL.token}&access_token=${ALL.token}`, served.url);
    for (const [url, headers] of [
      [served.url, { authorization: ALL.token }],
      [served.url, { authorization: '', token: ALL.token, 'x-api-key': ALL.token }],
      [inQuery, { authorization: '' }],
    ] as const) {
      expect((await served.openStream(session, headers, url)).status).toBe(401);
      const asked = { method: 'POST', headers, body: JSON.stringify(LIST) };
      expect((await fetch(url, asked)).status).toBe(401);
    }
  });

  test('is the same with a slash at the end of the path', async () => {
    const served = await ServedMcp.start();
    served.url.pathname = '/mcp/';
    expect((await served.post(LIST)).status).toBe(200);
    expect((await fetch(served.url, { method: 'POST' })).status).toBe(401);
    const headers = { authorization: `Bearer ${ALL.token}` };
    expect((await fetch(served.url, { method: 'PUT', headers })).status).toBe(405);
  });

  test('accepts the scheme of a token in any case', async () => {
    const served = await ServedMcp.start();
    expect((await served.post(LIST, { authorization: `bearer ${ALL.token}` })).status).toBe(200);
  });

  test('a token that is revoked is refused from then on', async () => {
    const served = await ServedMcp.start();
    expect((await served.post(LIST)).status).toBe(200);
    served.clients.delete(ALL.token);
    expect((await served.post(LIST)).status).toBe(401);
  });

  test('403 for a host or an origin that is not allowed, before any token is looked at', async () => {
    const served = await ServedMcp.start();
    expect(await postAs(served, 'evil.example')).toBe(403);
    expect(await postAs(served, `localhost:${served.url.port}`)).toBe(200);
    for (const origin of ['https://evil.example', 'null', 'not an origin'])
      expect((await served.post(LIST, { origin, authorization: '' })).status, origin).toBe(403);
    expect((await served.post(LIST, { origin: 'http://localhost:3000' })).status).toBe(200);
  });

  test('503 with Retry-After until the views have caught up', async () => {
    const served = await ServedMcp.start({ ready: () => false });
    const answer = await served.post(LIST);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  });
});

describe('limits', () => {
  test('/mcp requests: 120 per token in a rolling minute, whatever they ask', async () => {
    expect(LIMITS.requestsPerToken).toBe(120);
    let now = 1_790_000_000_000;
    const clients = [ALL, { token: 'other', access: { ...ALL.access, clientId: 2 } }];
    const served = await ServedMcp.start({ now: () => now, clients });
    const ask = async (token = ALL.token) => {
      const answer = await served.post('{}', { authorization: `Bearer ${token}` });
      return [answer.status, answer.headers.get('retry-after')];
    };
    for (let n = 0; n < 120; n++) {
      expect(await ask(), String(n)).toEqual([400, null]);
      if (n === 59) now += 20_000;
    }
    expect(await ask()).toEqual([429, '40']);
    // Each token has its own window, also those of the same client.
    expect(await ask('other')).toEqual([400, null]);
    now += 39_999;
    expect(await ask()).toEqual([429, '1']);
    now += 1;
    // Only the first 60 have expired: the window rolls.
    for (let n = 0; n < 60; n++) expect(await ask()).toEqual([400, null]);
    expect(await ask()).toEqual([429, '20']);
  });

  test('requests without a valid token: 60 per address in a rolling minute; valid tokens are still admitted', async () => {
    let now = 1_790_000_000_000;
    const served = await ServedMcp.start({ now: () => now });
    const ask = async () => (await served.post(LIST, { authorization: 'Bearer guess' })).status;
    for (let n = 0; n < LIMITS.requestsPerAddress; n++) expect(await ask()).toBe(401);
    expect(await ask()).toBe(429);
    expect((await served.post(LIST)).status).toBe(200);
    now += 60_000;
    expect(await ask()).toBe(401);
  });

  test('413 for a body that is too large, 415 for another type, 400 for an invalid message', async () => {
    const served = await ServedMcp.start();
    const long = JSON.stringify({ ...LIST, params: { padding: 'x'.repeat(LIMITS.maxBodyBytes) } });
    expect((await served.post(long)).status).toBe(413);
    expect((await served.post(LIST, { 'content-type': 'text/plain' })).status).toBe(415);
    const withoutId = JSON.stringify({ ...LIST, id: null, params: null });
    for (const body of ['', 'no json', '[]', JSON.stringify([LIST, LIST]), '{}', '5', 'null', withoutId]) {
      const answer = await served.post(body);
      expect(answer.status, body).toBe(400);
      const error = { code: expect.any(Number) };
      expect(await answer.json(), body).toMatchObject({ jsonrpc: '2.0', error });
    }
  });

  test('400 for a message that nests deeper than 64 levels, without a reported failure', async () => {
    const failures: unknown[] = [];
    const served = await ServedMcp.start({ onFailure: (error) => failures.push(error) });
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const call = (levels: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_sports","arguments":${nested(levels)}}}`;
    const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"x":${nested(8_000)}}},"clientInfo":{"name":"x","version":"1"}}}`;
    for (const body of [call(8_000), call(63), begin]) expect((await served.post(body)).status).toBe(400);
    const within = await served.post(call(62));
    expect(await within.json()).toMatchObject({ result: { isError: true } });
    expect(failures).toEqual([]);
  });

  test('405 with all methods of the endpoint for another method, and for a stream without a session', async () => {
    const served = await ServedMcp.start();
    for (const method of ['PUT', 'PATCH', 'GET', 'DELETE']) {
      const headers = { authorization: `Bearer ${ALL.token}`, accept: 'text/event-stream' };
      const answer = await fetch(served.url, { method, headers });
      const allow = 'GET, POST, DELETE, OPTIONS';
      expect([answer.status, answer.headers.get('allow')], method).toEqual([405, allow]);
    }
  });
});

describe('a page of another origin', () => {
  const origin = 'http://localhost:3000';
  const preflight = (served: ServedMcp, from: string) =>
    fetch(served.url, {
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
      },
    });

  test('gets an answer to its preflight without a token, even before the views have caught up', async () => {
    const served = await ServedMcp.start({ ready: () => false });
    const answer = await preflight(served, origin);
    expect(answer.status).toBe(204);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': expect.stringContaining('POST'),
      'access-control-allow-headers': expect.stringMatching(
        /authorization.*content-type.*mcp-protocol-version.*mcp-session-id/,
      ),
      vary: 'origin',
    });
    expect((await preflight(served, 'https://evil.example')).status).toBe(403);
  });

  test('may read answers, session ids and streams', async () => {
    const served = await ServedMcp.start();
    const opened = await served.post(INITIALIZE, { origin });
    const stream = await served.openStream(sessionOf(opened), { origin });
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const refused = await served.post(LIST, { origin, authorization: '' });
    for (const answer of [opened, stream, refused]) {
      expect(answer.headers.get('access-control-allow-origin'), String(answer.status)).toBe(origin);
      expect(answer.headers.get('access-control-expose-headers')).toMatch(/mcp-session-id.*www-authenticate/);
    }
    const plain = await served.post(LIST);
    expect(plain.headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('neither logs nor measures name a token, and no request reaches the protocol with one', async () => {
  let written = '';
  const stream = new PassThrough().on('data', (chunk) => {
    written += chunk;
  });
  const served = await ServedMcp.start({ log: pino({ level: 'trace' }, stream) });
  await served.post({ ...LIST, method: 'tools/call', params: { name: 'list_sports', arguments: {} } });
  await served.post(LIST, { authorization: 'Bearer a-guess-of-somebody' });
  await served.post('no json');
  expect(written).toContain('tool called');
  const all = written + (await served.metrics.metrics());
  for (const text of [`"${ALL.token}"`, `Bearer ${ALL.token}`, 'a-guess-of-somebody'])
    expect(all).not.toContain(text);
  expect(await served.metrics.metrics()).toMatch(/touchline_mcp_refused_total\{reason="token".*\} 1/);
});

test('hides the cause of a failure from the client, and reports it', async () => {
  const failures: unknown[] = [];
  const served = await ServedMcp.start({ onFailure: (error) => failures.push(error) });
  served.world.damage();
  const call = { ...LIST, method: 'tools/call', params: { name: 'list_matches', arguments: {} } };
  const { result } = (await (await served.post(call)).json()) as { result: unknown };
  expect(result).toEqual({
    isError: true,
    content: [{ type: 'text', text: 'internal: The server failed. Try again later.' }],
  });
  expect(failures).toHaveLength(1);
});

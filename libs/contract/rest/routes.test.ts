import fastify, { type InjectOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import { ALL_OPERATIONS } from './operations.ts';
import { answerEnvelope, answerError } from './records/envelope.ts';
import { restRoutes } from './routes.ts';
import { memoryGatekeeper, memoryProvider } from './testing/memory.ts';
import { CLIENT, NARROW, NOW, smallWorld, testServer } from './testing/world.ts';

describe('answers', () => {
  const server = testServer();

  test('echo every effective parameter as text: sent, defaulted, and the id; never a secret', async () => {
    const token = await server.token();
    const echo = async (url: string) => (await server.get(url)).json().api.method.parameters;
    expect(await echo('/v2/sports?limit=5&unknown=1')).toEqual({ limit: '5', page: '1' });
    expect(await echo(`/v2/events/1/incidents?confirmation=tbd&token=${token}`)).toEqual({
      client_id: '1',
      event_id: '1',
      deleted: 'no',
      confirmation: 'tbd',
      sort_type: 'id',
      sort_order: 'asc',
      limit: '500',
      page: '1',
    });
    expect(await echo(`/v2/livescore?token=${token}`)).toMatchObject({
      date_from: '2026-09-21 00:00:00',
      date_to: '2026-09-21 23:59:59',
    });
    expect(await echo(`/v2/feed?token=${token}`)).toEqual({
      client_id: '1',
      timestamp: String(NOW - 86_400),
      timestamp_to: String(NOW),
    });
    expect(await echo('/v2/oauth?client_id=1&secret_key=open%20sesame')).toEqual({ client_id: '1' });
  });

  test('count over all pages and have ready URLs of the previous and next page', async () => {
    const token = await server.token();
    const second = await server.get(`/v2/sports?limit=5&page=2&token=${token}`);
    const { method } = second.json().api;
    expect(method.total_items).toBe(12);
    expect(method.next_page).toBe(`http://localhost:80/v2/sports?limit=5&page=3&token=${token}`);
    const third = await server.get(method.next_page.slice('http://localhost:80'.length));
    expect(third.json().api.data.sports).toHaveLength(2);
    expect(third.json().api.method).toMatchObject({ next_page: '', total_items: 12 });
    expect(third.json().api.method.previous_page).toContain('page=2');
    const behind = await server.get('/v2/sports?limit=5&page=9');
    expect(behind.json().api.data.sports).toEqual([]);
  });

  test('have URLs of the same window, below the base URL if one is set', async () => {
    const based = testServer({ baseUrl: 'https://sports.example/api' });
    for (let id = 4; id <= 9; id++) based.world.events.push({ ...based.world.events[0], id } as never);
    const token = await based.token();
    const { method } = (await based.get(`/v2/livescore?limit=5&token=${token}`)).json().api;
    const next = new URL(method.next_page);
    expect(next.href).toMatch(/^https:\/\/sports\.example\/api\/v2\/livescore\?/);
    expect(Object.fromEntries(next.searchParams)).toMatchObject({
      token,
      page: '2',
      limit: '5',
      date_from: '2026-09-21 00:00:00',
      date_to: '2026-09-21 23:59:59',
    });
  });
});

describe('the token operation', () => {
  const server = testServer();

  test('returns a token with the client id as text', async () => {
    const response = await server.get('/v2/oauth?client_id=1&secret_key=open%20sesame');
    const { data, method } = answerEnvelope('oauth', ALL_OPERATIONS[0]?.data ?? expect.fail()).parse(
      response.json(),
    ).api;
    expect(data).toMatchObject({ client_id: '1', token_expiration: NOW + 3600 });
    expect(method.details).toBe('oauth');
  });

  test.each([
    ['client_id=1&secret_key=wrong', 401],
    ['client_id=9&secret_key=open%20sesame', 401],
    ['client_id=1%00&secret_key=open%20sesame', 401],
    ['client_id=1', 400],
    ['secret_key=x', 400],
    ['client_id=1&client_id=1&secret_key=open%20sesame', 400],
    ['', 400],
  ])('answers ?%s with %d', async (query, status) => {
    const response = await server.get(`/v2/oauth?${query}`);
    expect(response.statusCode).toBe(status);
    expect(answerError.safeParse(response.json()).success).toBe(true);
  });
});

describe('errors', () => {
  const server = testServer();

  test('403 comes before 400, and 400 before the data', async () => {
    const token = await server.token(NARROW);
    const statusOf = async (url: string) => (await server.get(`${url}&token=${token}`)).statusCode;
    expect(await statusOf('/v2/basic-livescore?')).toBe(403);
    expect(await statusOf('/v2/feed/1?')).toBe(403);
    expect(await statusOf('/v2/events?limit=7')).toBe(400);
    expect(await statusOf('/v2/events/1?')).toBe(200);
    expect(await statusOf('/v2/events/3?')).toBe(403);
  });

  test.each(['sports', 'events', 'events/1', 'events/1/incidents', 'standings/7'])(
    '/v2/%s is the same with a trailing slash',
    async (path) => {
      const query = `token=${await server.token()}&date_from=2026-09-21`;
      const [without, withSlash] = [`/v2/${path}?${query}`, `/v2/${path}/?${query}`];
      expect((await server.get(withSlash)).json()).toEqual((await server.get(without)).json());
      expect((await server.get(`/v2/${path}/`)).statusCode).toBe(path === 'sports' ? 200 : 401);
      expect((await server.get(`/v2/${path}//?${query}`)).statusCode).toBe(404);
    },
  );

  test.each(['POST', 'OPTIONS', 'QUERY'])('%s is 405', async (method) => {
    for (const url of ['/v2/sports', '/v2/events/1/', '/v2/oauth?client_id=1', '/v2/events/x/incidents']) {
      const headers = { 'content-type': 'application/json' };
      const response = await server.app.inject({ method, url, headers, payload: '{bad' } as InjectOptions);
      expect(response.statusCode).toBe(405);
      expect(response.headers.allow).toBe('GET, HEAD');
      expect(answerError.safeParse(response.json()).success).toBe(true);
    }
    for (const url of ['/v2', '/v2/nothing', '/v2/sports/5/x', '/v2/events//incidents']) {
      expect((await server.app.inject({ method, url } as InjectOptions)).statusCode).toBe(404);
    }
    expect((await server.app.inject('/v2/nothing')).statusCode).toBe(404);
  });
});

describe('an error in the data', () => {
  function failing(error: Error) {
    const data = new Proxy(memoryProvider(smallWorld()), {
      get: () => () => {
        throw error;
      },
    });
    return testServer({ data });
  }

  test('is 500, logged with its stack, and hidden from the client', async () => {
    const server = failing(new Error('the password is swordfish'));
    const response = await server.get(`/v2/events?token=${await server.token()}`);
    expect(response.statusCode).toBe(500);
    expect(answerError.parse(response.json()).api.error).toEqual({
      message: 'Server error',
      internal_code: 5,
    });
    expect(server.logged).toHaveLength(1);
    expect(server.logged[0]).toContain('swordfish');
  });

  test('of the gatekeeper is 500 too', async () => {
    const refuse = () => {
      throw new Error('out of order');
    };
    const server = testServer({ gatekeeper: { access: refuse, exchange: refuse } });
    expect((await server.get('/v2/events?token=x')).statusCode).toBe(500);
    expect((await server.get('/v2/oauth?client_id=1&secret_key=x')).statusCode).toBe(500);
  });

  test('never writes a token, a secret or a URL to the log, at any level', async () => {
    const server = failing(new Error('broken'));
    const token = await server.token();
    for (const url of ['/v2/events', '/v2/nothing', '/v2/events/%zz', '/v2/feed/xyz', '/v2/sports']) {
      await server.get(`${url}?token=${token}`);
      await server.app.inject({ method: 'POST', url: `${url}?token=${token}` });
    }
    await server.get('/v2/oauth?client_id=1&secret_key=hush');
    expect(server.logged.length).toBeGreaterThan(0);
    expect(server.logged.join('')).not.toMatch(/token=|v1\.1\.|hush|\/v2\//);
  });

  test('logs no request, even with request logging on', async () => {
    const logged: string[] = [];
    const app = fastify({ logger: { level: 'info', stream: { write: (line) => void logged.push(line) } } });
    const data = memoryProvider(smallWorld());
    const gatekeeper = memoryGatekeeper([CLIENT]);
    app.register(restRoutes, { data, gatekeeper, now: () => NOW, version: '2.0.0' });
    for (const url of ['/v2/sports', '/v2/events/1', '/v2/nothing']) await app.inject(`${url}?token=hush`);
    expect(logged).toEqual([]);
  });
});

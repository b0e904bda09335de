import fastify, { type InjectOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import { answerError } from './records/envelope.ts';
import { restRoutes } from './routes.ts';
import {
  CLIENT,
  HIDDEN_EVENT,
  NARROW,
  NOW,
  stubData,
  testAuthenticator,
  testServer,
} from './testing/world.ts';

test('answers have URLs of the same window, below the base URL if one is set', async () => {
  const based = testServer({ baseUrl: 'https://sports.example/api' });
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

describe('errors', () => {
  const server = testServer();

  test('403 comes before 400, and 400 before the data', async () => {
    const token = await server.token(NARROW);
    const statusOf = async (url: string) => (await server.get(`${url}&token=${token}`)).statusCode;
    expect(await statusOf('/v2/basic-livescore?')).toBe(403);
    expect(await statusOf('/v2/feed/1?')).toBe(403);
    expect(await statusOf('/v2/events?limit=7')).toBe(400);
    expect(await statusOf('/v2/events/1?')).toBe(200);
    expect(await statusOf(`/v2/events/${HIDDEN_EVENT}?`)).toBe(403);
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
    const events = () => {
      throw error;
    };
    return testServer({ data: stubData({ events }) });
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

  test('of the authenticator is 500 too', async () => {
    const refuse = () => {
      throw new Error('out of order');
    };
    const server = testServer({ authenticator: { access: refuse, exchange: refuse } });
    expect((await server.get('/v2/events?token=x')).statusCode).toBe(500);
    expect((await server.get('/v2/oauth?client_id=1&secret_key=x')).statusCode).toBe(500);
  });

  test('logs no request, even with request logging on', async () => {
    const logged: string[] = [];
    const app = fastify({ logger: { level: 'info', stream: { write: (line) => void logged.push(line) } } });
    const authenticator = testAuthenticator([CLIENT]);
    app.register(restRoutes, { data: stubData(), authenticator, now: () => NOW, version: '2.0.0' });
    for (const url of ['/v2/sports', '/v2/events/1', '/v2/nothing']) await app.inject(`${url}?token=hush`);
    expect(logged).toEqual([]);
  });
});

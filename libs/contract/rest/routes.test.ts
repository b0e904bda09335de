import fc from 'fast-check';
import fastify, { type InjectOptions } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { restServerOptions } from './error-answers.ts';
import type { StreamedAnswer } from './provider.ts';
import { answerError } from './records/envelope.ts';
import { isHost, restRoutes } from './routes.ts';
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

const server = testServer();

describe('errors', () => {
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

test('tells hosts, of which URLs are made, from other texts', () => {
  const names = 'localhost:80 API.example.:8081 touchline_api xn--bcher-kva.example 127.0.0.1:65535 a';
  const hosts = `${names} [::1] [::1]:8081 [2001:db8::1]:80 [::ffff:127.0.0.1]`.split(' ');
  const others = ':80 a: a:65536 a:80:80 -a . bücher.example evil%2f x[::1] [::1%25lo] evil/..?x'.split(' ');
  expect([...hosts, '', ...others].filter(isHost)).toEqual(hosts);
});

test('what follows a host in a URL is its path, whatever the host is', () => {
  const part = fc.constantFrom(...'a evil 127.0.0.1 ::1 : 80 . - @ / ? # [ ]'.split(' '));
  const odd = fc.constantFrom(' ', '\t', '\r\n', 'x'.repeat(256), ...'\\ , " < \' %2f %00 ü'.split(' '));
  const texts = fc.array(fc.oneof({ weight: 5, arbitrary: part }, odd), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(texts, (parts) => {
      const url = `http://${parts.join('')}/v2`;
      if (!isHost(parts.join('')) || !URL.canParse(url)) return;
      const { username, pathname, search, hash } = new URL(url);
      expect([username, pathname, search, hash]).toEqual(['', '/v2', '', '']);
    }),
    { numRuns: 2_000 },
  );
});

describe('URLs of pages', () => {
  test('never have an invalid host: it is 400, with any token', async () => {
    const hosts = ['evil/..?x', 'evil?', 'evil#', 'user@evil', 'a b', ':80', 'a:x', 'a:65536', '"', '[::1'];
    for (const host of hosts)
      for (const url of ['/v2/sports?limit=5', '/v2/statuses', '/v2/oauth', '/v2/nothing']) {
        const response = await server.app.inject({ url, headers: { host } });
        expect([host, response.statusCode]).toEqual([host, 400]);
        expect(answerError.parse(response.json()).api.error.internal_code).toBe(13);
      }
  });

  test.each(['api.example:8081', '[::1]:8081'])(
    'have the requested host, %s, not one that a proxy names',
    async (host) => {
      const proxy = { 'x-forwarded-host': 'evil', 'x-forwarded-proto': 'gopher', forwarded: 'host=evil' };
      const response = await server.app.inject({ url: '/v2/sports?limit=5', headers: { host, ...proxy } });
      expect(response.json().api.method.next_page).toBe(`http://${host}/v2/sports?limit=5&page=2`);
    },
  );
});

/** Returns a server whose feed is streamed in these parts, and the parts that it read. */
async function streaming(parts: () => AsyncGenerator<string>) {
  const failures: unknown[] = [];
  const feed = async (): Promise<StreamedAnswer> => ({ data: parts(), total: 2 });
  const server = testServer({ data: stubData({ feed }), onFailure: (failure) => failures.push(failure) });
  const { app } = server;
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as { port: number };
  return { failures, url: `http://127.0.0.1:${port}/v2/feed?token=${await server.token()}` };
}

describe('an answer in parts', () => {
  test('is not read for HEAD', async () => {
    let asked = 0;
    const { url } = await streaming(async function* () {
      asked++;
      yield '[]';
    });
    const response = await fetch(url, { method: 'HEAD' });
    expect([response.status, await response.text(), asked]).toEqual([200, '', 0]);
  });

  test('that fails ends the connection, and is reported to the server', async () => {
    const broken = new Error('broken');
    const { url, failures } = await streaming(async function* () {
      yield '[{"id":1}';
      throw broken;
    });
    const response = await fetch(url);
    await expect(response.text()).rejects.toThrow('terminated');
    expect(failures).toEqual([broken]);
  });
});

describe('an answer of one part', () => {
  test.each([
    ['text', '{"sports":[{"id":5,"name":"⚽ fútbol"}]}'],
    ['bytes', Buffer.from('{"sports":[{"id":5,"name":"⚽ fútbol"}]}')],
    ['bytes that are no text', Buffer.from([0x22, 0xff, 0x22])],
  ])('of %s is sent unchanged, with its length and the headers of every answer', async (_, data) => {
    const { app } = testServer({ data: stubData({ sports: () => ({ data, total: 1 }) }) });
    const { statusCode, headers, rawPayload } = await app.inject('/v2/sports');
    expect(statusCode).toBe(200);
    const end = Buffer.concat([Buffer.from(',"data":'), Buffer.from(data as string), Buffer.from('}}')]);
    expect(rawPayload.subarray(-end.length)).toEqual(end);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'content-length': String(rawPayload.length),
    });
  });

  test('without pages has no URLs of pages', async () => {
    const oauth = '/v2/oauth?client_id=1&secret_key=open%20sesame';
    for (const path of [`/v2/events/1?token=${await server.token()}`, oauth])
      expect((await server.get(path)).json().api.method).toMatchObject({ previous_page: '', next_page: '' });
  });
});

test.each([
  ['https', 'https'],
  ['http', 'http'],
  ['javascript', 'http'],
])('the URL of a page begins with the scheme that a trusted proxy names, %s: %s', async (named, shown) => {
  const app = fastify({ ...restServerOptions('2.0.0', () => NOW), trustProxy: true });
  const authenticator = testAuthenticator([CLIENT]);
  app.register(restRoutes, { data: stubData(), authenticator, now: () => NOW, version: '2.0.0' });
  const headers = { 'x-forwarded-proto': named, host: 'sports.example' };
  const { next_page } = (await app.inject({ url: '/v2/sports?limit=5', headers })).json().api.method;
  expect(next_page).toBe(`${shown}://sports.example/v2/sports?limit=5&page=2`);
});

test('an id that is no whole number is unknown, whatever the data', async () => {
  const statusOf = async (id: string) =>
    (await server.get(`/v2/feed/${id}?token=${await server.token()}`)).statusCode;
  expect(await statusOf('1')).toBe(200);
  for (const id of ['abc', '1.5', '-1', '1e3', '9'.repeat(40), '9'.repeat(5_000)])
    expect([id, await statusOf(id)]).toEqual([id, 404]);
});

test('a version has three numbers', async () => {
  for (const version of ['2.0.0', '12.34.56']) await testServer({ version }).app.ready();
  for (const version of ['2.125', 'v2.0.0', '2.0.0-1', '2.0.0.1', '2.x.0', ''])
    await expect(testServer({ version }).app.ready()).rejects.toThrow('is not major.minor.patch');
});

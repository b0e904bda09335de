import fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { restServerOptions } from './error-answers.ts';
import type { StreamedAnswer } from './provider.ts';
import { restRoutes } from './routes.ts';
import { CLIENT, NOW, stubData, testAuthenticator, testServer } from './testing/world.ts';

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
  const text = '{"sports":[{"id":5,"name":"⚽ fútbol"}]}';

  test.each([
    ['text', text],
    ['bytes', Buffer.from(text)],
  ])('of %s is sent unchanged, with its length and the headers of every answer', async (_, data) => {
    const { get } = testServer({ data: stubData({ sports: () => ({ data, total: 1 }) }) });
    const { statusCode, headers, body } = await get('/v2/sports');
    expect(statusCode).toBe(200);
    expect(body.endsWith(`,"data":${text}}}`)).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'content-length': String(Buffer.byteLength(body)),
    });
  });

  test('of bytes is sent unchanged, also if they are not text', async () => {
    const data = Buffer.from([0x22, 0xff, 0x22]);
    const { app } = testServer({ data: stubData({ sports: () => ({ data, total: 1 }) }) });
    const { rawPayload } = await app.inject('/v2/sports');
    expect(rawPayload.subarray(-5)).toEqual(Buffer.concat([data, Buffer.from('}}')]));
  });

  test('without pages has no URLs of pages', async () => {
    const { get, token } = testServer();
    const secret = 'open%20sesame';
    for (const path of [`/v2/events/1?token=${await token()}`, `/v2/oauth?client_id=1&secret_key=${secret}`])
      expect((await get(path)).json().api.method).toMatchObject({ previous_page: '', next_page: '' });
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

test.each(['abc', '1.5', '-1', '1e3', '9'.repeat(40)])(
  'the id %s is unknown, whatever the data',
  async (id) => {
    const feedOf = () => ({ data: '[]', total: 0 });
    const { get, token } = testServer({ data: stubData({ feedOf }) });
    expect((await get(`/v2/feed/1?token=${await token()}`)).statusCode).toBe(200);
    expect((await get(`/v2/feed/${id}?token=${await token()}`)).statusCode).toBe(404);
  },
);

test('a version has three numbers', async () => {
  for (const version of ['2.0.0', '12.34.56']) await testServer({ version }).app.ready();
  for (const version of ['2.125', 'v2.0.0', '2.0.0-1', '2.0.0.1', '2.x.0', ''])
    await expect(testServer({ version }).app.ready()).rejects.toThrow('is not major.minor.patch');
});

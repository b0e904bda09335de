import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Contracts } from '#clients/contracts.ts';
import { hashSecret } from '#clients/keys.ts';
import type { Access, ProviderData } from '#contract/rest/provider.ts';
import { answerError } from '#contract/rest/records/envelope.ts';
import { eventMessage } from '#ingestion/testing/messages.ts';
import { createLogger } from '#service/logger.ts';
import { createMetrics, type Registry } from '#service/metrics.ts';
import { createProviderData } from '#views/render/answers/provider-data.ts';
import { isBroken } from '#views/store/database.ts';
import type { BoardView } from '#views/store/views.ts';
import { EVERYTHING, ViewsWorld } from '#views/testing/world.ts';
import { type ApiAppOptions, createApp, createAuthenticator } from './app.ts';
import { OPEN } from './board/testing/served.ts';
import { clientSeven, KEY } from './testing/client-seven.ts';

let world: ViewsWorld;
let app: FastifyInstance;
let registry: Registry;
let ready: boolean;
let logged: string;
let failures: unknown[];

beforeEach(async () => {
  ready = true;
  logged = '';
  failures = [];
  world = new ViewsWorld();
  app = await createTestApp();
});

/** Creates the app over `world`. The token `narrow` covers only lists of events. */
async function createTestApp(changes: Partial<ApiAppOptions> = {}): Promise<FastifyInstance> {
  registry = createMetrics('api');
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logged += chunk;
      done();
    },
  });
  const accesses: Readonly<Record<string, Access>> = {
    good: EVERYTHING,
    narrow: { ...EVERYTHING, operations: new Set(['events.index']) },
  };
  const made = await createApp({
    competitions: null,
    data: createProviderData(world.views),
    authenticator: { exchange: async () => null, access: (token) => accesses[token] ?? null },
    view: world.views,
    board: OPEN,
    version: '1.2.3',
    publicUrl: 'https://api.example',
    trustedProxies: [],
    registry,
    log: createLogger({ name: 'api', level: 'trace', stream }),
    ready: () => ready,
    onFailure: (error) => failures.push(error),
    ...changes,
  });
  onTestFinished(() => made.close());
  return made;
}

const status = async (url: string) => (await app.inject(url)).statusCode;

test('uses the scheme and host of X-Forwarded headers in URLs of pages only when a trusted proxy sends them', async () => {
  world.play(...Array.from({ length: 6 }, (_, n) => eventMessage({ id: n + 1 }, { id: n + 1 })));
  const pageFrom = async (trustedProxies: string[], proto: string): Promise<string> => {
    const made = await createTestApp({ publicUrl: undefined, trustedProxies });
    const answer = await made.inject({
      url: '/v2/events?token=good&season_id=25528&limit=5',
      headers: { host: 'api.example', 'x-forwarded-proto': proto, 'x-forwarded-host': 'public.example' },
      remoteAddress: '10.1.2.3',
    });
    return answer.json().api.method.next_page.split('/v2/')[0];
  };
  expect(await pageFrom([], 'https')).toBe('http://api.example');
  expect(await pageFrom(['10.9.0.0/16'], 'https')).toBe('http://api.example');
  expect(await pageFrom(['10.1.0.0/16'], 'https')).toBe('https://public.example');
  expect(await pageFrom(['10.1.0.0/16'], 'javascript')).toBe('http://public.example');
});

test.each([
  ['a trusted proxy that says https', ['10.1.0.0/16'], 'https', true],
  ['a trusted proxy that says http', ['10.1.0.0/16'], 'https, http', false],
  ['an address that is no trusted proxy', ['10.9.0.0/16'], 'https', false],
  ['an address where no proxy is trusted', [], 'https', false],
])('marks cookies as secure, and asks browsers for https: %s', async (_, trustedProxies, proto, isSecure) => {
  const board = { ...OPEN, sessions: { ...OPEN.sessions, open: async () => 'v1.x' } };
  const made = await createTestApp({ publicUrl: undefined, trustedProxies, board });
  const sent = { headers: { 'x-forwarded-proto': proto }, remoteAddress: '10.1.2.3' };
  const form = { ...sent.headers, 'content-type': 'application/x-www-form-urlencoded' };
  const payload = 'client_id=7&secret_key=right';
  const signedIn = await made.inject({ ...sent, method: 'POST', url: '/sign-in', headers: form, payload });
  for (const cookie of [signedIn.headers['set-cookie']].flat())
    expect(String(cookie).endsWith('; Secure')).toBe(isSecure);
  const answers = await Promise.all(
    ['/', '/v2/sports?token=good', '/nowhere'].map((url) => made.inject({ ...sent, url })),
  );
  for (const { headers } of [signedIn, ...answers])
    expect(headers['strict-transport-security']).toBe(isSecure ? 'max-age=31536000' : undefined);
});

test('answers 503 to all requests but those for health until it has caught up', async () => {
  ready = false;
  for (const url of ['/v2/sports', '/v2/events/1', '/', '/docs', '/nowhere'])
    expect(await status(url)).toBe(503);
  const { headers, body } = await app.inject('/v2/sports');
  expect([headers['retry-after'], headers['content-type']]).toEqual(['1', 'application/json; charset=utf-8']);
  expect(answerError.parse(JSON.parse(body)).api.error.message).toBe('Not ready yet');
  expect(await status('/health/live')).toBe(200);
  expect(await status('/health/ready')).toBe(503);
  ready = true;
  for (const url of ['/v2/sports', '/', '/docs', '/health/ready']) expect(await status(url)).toBe(200);
});

test('names the state of each feed in every answer, and of the match in an answer about an event', async () => {
  const answered = async (url: string) => (await app.inject(url)).headers['x-feed-health'];
  expect(await answered('/v2/statuses?token=good')).toBe('unknown');
  world.play(eventMessage({}, { id: 1 }));
  world.health(null, { valid_until: Number.MAX_SAFE_INTEGER });
  world.health(1);
  expect(await answered('/v2/statuses?token=good')).toBe('webhook=alive');
  for (const path of ['events/1', 'feed/1'])
    expect(await answered(`/v2/${path}?token=good`)).toBe('webhook=alive, match=alive');
  world.health(1, { state: 'stale', reason: 'silence' });
  expect(await answered('/v2/events/1?token=good')).toBe('webhook=alive, match=stale;reason=silence');
  expect(await answered('/v2/events/2?token=good')).toBe('webhook=alive, match=unknown');
  for (const token of ['none', 'narrow'])
    expect(await answered(`/v2/events/1?token=${token}`)).toBe('webhook=alive');
  expect(await answered('/v2/nothing')).toBe('webhook=alive');
  expect(await answered('/health/live')).toBeUndefined();
});

test('counts requests by route and status, and leaks no token to a log or a metric', async () => {
  await app.inject('/v2/statuses?token=good');
  await app.inject('/v2/statuses?token=secrettoken');
  await app.inject('/v2/oauth?client_id=1&secret_key=secretkey');
  await app.inject('/v2/events/123456?token=good');
  const body = await registry.metrics();
  expect(body).toMatch(/touchline_api_request_seconds_count\{.*route="\/v2\/statuses",status="401".*\} 1/);
  expect(body).toMatch(/route="\/v2\/events\/:id",status="404"/);
  for (const text of [body, logged]) {
    for (const secret of ['secrettoken', 'secretkey', '123456']) expect(text).not.toContain(secret);
  }
});

/** An object whose methods all throw. */
function broken<T extends object>(): T {
  const fail = (): never => {
    throw new Error('out of order');
  };
  const get = (_: T, name: string | symbol) => (name === 'events' ? new EventEmitter() : fail);
  return new Proxy({} as T, { get });
}

/** Requests with a token, and the status of each answer. */
const ANSWERS: readonly (readonly [number, string])[] = [
  [200, '/v2/statuses?token=good'],
  [200, '/v2/sports?token=hush'],
  [200, '/?token=hush'],
  [400, '/v2/statuses?limit=7&token=good'],
  [400, '/v2/events/%zz?token=hush'],
  [400, '/%zz?token=hush'],
  [401, '/v2/statuses?token=hush'],
  [401, '/v2/statuses?%74oken=hush'],
  [401, '/v2/oauth?client_id=1&secret_key=hush'],
  [403, '/v2/statuses?token=narrow'],
  [404, '/v2/events/9?token=good'],
  [404, '/v2/nowhere?token=hush'],
  [404, '/nowhere?token=hush'],
  [404, '/match/9?token=hush'],
];

test.each(['trace', 'debug', 'info'])(
  'writes no token and no URL to the log at level %s or to the answer of an error',
  async (level) => {
    const lines: string[] = [];
    // This log redacts nothing, so that the test sees what the api logs.
    const log = pino({ level }, { write: (line: string) => void lines.push(line) });
    app = await createTestApp({ log });
    for (const [wanted, url] of ANSWERS) {
      const { statusCode, body } = await app.inject(url);
      expect([url, statusCode]).toEqual([url, wanted]);
      if (wanted !== 200) expect(body).not.toMatch(/hush|good|narrow|token=/);
    }
    expect(lines).toEqual([]);
    app = await createTestApp({ log, data: broken<ProviderData>(), view: broken<BoardView>() });
    for (const path of ['/v2/statuses?', '/v2/events/1?', '/?', '/match/1?', '/board/events?event=1&']) {
      const { statusCode, body } = await app.inject(`${path}token=good`);
      expect([path, statusCode]).toEqual([path, 500]);
      const error = { message: 'Server error', internal_code: 5 };
      expect(answerError.parse(JSON.parse(body)).api.error).toEqual(error);
    }
    expect(lines).toHaveLength(5);
    expect(lines.join('')).toContain('a request failed');
    expect(lines.join('')).not.toMatch(/hush|good|narrow|token|\/v2|\?/);
  },
);

test('reports the error of a failed request, so that broken views are found', async () => {
  world.play(eventMessage({}, { id: 1 }));
  world.damage('feed');
  app = await createTestApp();
  const { statusCode, body } = await app.inject('/v2/feed/1?token=good');
  expect([statusCode, JSON.parse(body).api.error.message]).toEqual([500, 'Server error']);
  expect(failures.map(isBroken)).toEqual([true]);
  expect(await status('/v2/events/9?token=good')).toBe(404);
  expect(failures).toHaveLength(1);
});

test('serves only the contract when the board is off', async () => {
  app = await createTestApp({ board: null });
  const pages = ['', 'match/1', 'standings', 'halts', 'feeds', 'board/events', 'board/matches/1'];
  for (const url of pages.map((page) => `/${page}`)) {
    const response = await app.inject(`${url}?token=hush`);
    expect([url, response.statusCode]).toEqual([url, 404]);
    expect(answerError.parse(response.json()).api.error.message).toBe('Not found');
    expect(response.headers['content-security-policy']).toBeUndefined();
  }
  for (const url of ['/v2/sports', '/docs', '/health/ready']) expect(await status(url)).toBe(200);
  const { body } = await app.inject('/docs');
  expect(body).not.toContain('href="/"');
  const loaded = [...body.matchAll(/(?:src|href)="(\/[^"#]+)"/g)].map(([, address = '']) => address);
  expect(loaded).not.toEqual([]);
  for (const url of loaded) expect(await status(url), url).toBe(200);
  expect(await registry.metrics()).not.toContain('touchline_board_readers');
});

test('serves no metrics on the port of clients', async () => {
  expect(await status('/metrics')).toBe(404);
});

const NOW = 1_790_000_000;
let clients: Contracts;
let change: ReturnType<typeof clientSeven>['change'];

beforeEach(() => {
  ({ clients, change } = clientSeven());
});

test('gives a token of an hour for the right secret, which any replica with its key accepts', async () => {
  const next = `${KEY}x`;
  const replica = (CLIENTS_KEY: string, CLIENTS_KEY_SECOND?: string) =>
    createAuthenticator(clients, { CLIENTS_KEY, CLIENTS_KEY_SECOND });
  const granted = await replica(KEY).exchange('7', 'right', NOW);
  expect(granted?.expiration).toBe(NOW + 3_600);
  const token = granted?.token ?? '';
  const access = { clientId: 7, operations: null, competitions: new Set([1, 2]) };
  expect(replica(KEY).access(token, NOW + 3_599)).toMatchObject(access);
  expect(replica(KEY).access(token, NOW + 3_600)).toBeNull();
  expect(replica(next).access(token, NOW)).toBeNull();
  // While the key is rotated.
  expect(replica(next, KEY).access(token, NOW)).not.toBeNull();
  const fresh = await replica(next, KEY).exchange('7', 'right', NOW);
  expect(replica(next).access(fresh?.token ?? '', NOW)).not.toBeNull();
});

test.each([
  ['7', 'wrong'],
  ['7', ''],
  ['8', 'right'],
  ['0', 'right'],
  ['07', 'right'],
  ['x', 'right'],
])('issues no token for client %j with secret %j', async (id, secret) => {
  const authenticator = createAuthenticator(clients, { CLIENTS_KEY: KEY });
  expect(await authenticator.exchange(id, secret, NOW)).toBeNull();
});

test('forgets a secret that was changed, and a client that is disabled, at once', async () => {
  const authenticator = createAuthenticator(clients, { CLIENTS_KEY: KEY });
  const granted = await authenticator.exchange('7', 'right', NOW);
  expect(await authenticator.exchange('7', 'right', NOW)).not.toBeNull();
  change({ version: 2, secret_hash: hashSecret('other') });
  expect(await authenticator.exchange('7', 'right', NOW)).toBeNull();
  change({ version: 3, active: false });
  expect(authenticator.access(granted?.token ?? '', NOW)).toBeNull();
  expect(await authenticator.exchange('7', 'right', NOW)).toBeNull();
});

test('refuses the token of a former client to the client that has its id now, but not after a rotation', async () => {
  const authenticator = createAuthenticator(clients, { CLIENTS_KEY: KEY });
  const granted = await authenticator.exchange('7', 'right', NOW);
  change({ version: 2, secret_hash: hashSecret('other') });
  expect(authenticator.access(granted?.token ?? '', NOW)).not.toBeNull();
  change({ version: 3, identity: 'fedcba9876543210' });
  expect(authenticator.access(granted?.token ?? '', NOW)).toBeNull();
});

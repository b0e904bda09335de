/** Answers of the token exchange: the tables of the spec, row by row. The upstream is simulated. */
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { newToken } from '#clients/access-tokens.ts';
import { createLogger } from '#service/logger.ts';
import { PublishError } from '#streams/errors.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { createApp } from './app.ts';
import { type ExchangeOptions, TokenExchange } from './token-exchange/exchange.ts';
import { BODY_LIMIT, ExchangeError, MAX_SECRET_BYTES } from './token-exchange/request.ts';

const NOW = 1_790_000_000_000;
const RIGHT = { client_id: '7', secret_key: 'right-s3cret' };
const TOO_LONG = 'x'.repeat(MAX_SECRET_BYTES + 1);
const CLIENT = { ...sampleOf('clients'), client_id: 7 };
const TOKEN = { ...sampleOf('access-tokens'), expires_at: NOW + 86_400_000 };

/** Calls of the dependencies, in order. */
let steps: string[];
let now: number;
let logged: string;
let outcomes: string[];

beforeEach(() => {
  steps = [];
  now = NOW;
  logged = '';
  outcomes = [];
});

async function served(
  changes: Partial<ExchangeOptions> = {},
  trustedProxies: string[] = [],
  requestMs = 10_000,
) {
  const stream = new PassThrough().on('data', (chunk) => {
    logged += chunk;
  });
  const log = createLogger({ name: 'test', level: 'trace', stream });
  const text = newToken();
  const exchange = new TokenExchange({
    check: async (clientId, secretKey) => {
      steps.push('check');
      return clientId === '7' && secretKey === 'right-s3cret' ? '7' : null;
    },
    contracts: {
      findSoon: async (id) =>
        id === 7
          ? { client: CLIENT, access: { clientId: 7, competitions: null, operations: null } }
          : undefined,
    },
    issue: async ({ client_id }, label) => {
      steps.push(`issue ${client_id} ${label}`);
      return { text, token: TOKEN };
    },
    now: () => now,
    log,
    ...changes,
  });
  const onAnswer = (outcome: string): void => void outcomes.push(outcome);
  const app = await createApp({ exchange, onAnswer, trustedProxies, log, requestMs });
  const post = async (body: unknown, headers: Record<string, string> = {}, remoteAddress = '192.0.2.1') => {
    const payload = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await app.inject({
      method: 'POST',
      url: '/api/v1/token',
      payload,
      remoteAddress,
      headers: { 'content-type': 'application/json', ...headers },
    });
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.body).not.toContain('s3cret');
    expect(logged).not.toMatch(/s3cret|touchline_pat_/);
    return { status: response.statusCode, headers: response.headers, body: JSON.parse(response.body) };
  };
  return { app, post, text };
}

test('answers 404 for an unknown path, with a message that names the known ones', async () => {
  const { app } = await served();
  const { statusCode, body } = await app.inject({ method: 'GET', url: '/api/v2/nothing' });
  expect(statusCode).toBe(404);
  const message = expect.stringMatching(/\/mcp.*\/api\/v1\/token/);
  expect(JSON.parse(body)).toEqual({ error: 'not_found', message });
});

describe('the path of the exchange', () => {
  test('is /api/v1/token, and nothing is below another prefix', async () => {
    const { app, post } = await served();
    expect((await post(RIGHT)).status).toBe(201);
    for (const url of ['/token', '/v1/token', '/api/token', '/api/v2/token', '/v2/token', '/api/v1']) {
      const { statusCode } = await app.inject({ method: 'POST', url, payload: RIGHT });
      expect([url, statusCode]).toEqual([url, 404]);
    }
  });

  test('may end with a slash', async () => {
    const { app } = await served();
    const url = '/api/v1/token/';
    expect((await app.inject({ method: 'POST', url, payload: RIGHT })).statusCode).toBe(201);
    expect((await app.inject({ method: 'GET', url })).statusCode).toBe(405);
  });

  test('takes JSON by POST without authentication: the credentials are in the body alone', async () => {
    const { app, post } = await served();
    for (const authorization of ['', 'Bearer nonsense', 'Basic bm86bm8='])
      expect((await post(RIGHT, { authorization })).status).toBe(201);
    const basic = `Basic ${Buffer.from(`${RIGHT.client_id}:${RIGHT.secret_key}`).toString('base64')}`;
    expect((await post({}, { authorization: basic })).status).toBe(400);
    const query = new URLSearchParams(RIGHT);
    const { statusCode } = await app.inject({ method: 'POST', url: `/api/v1/token?${query}`, payload: {} });
    expect(statusCode).toBe(400);
  });
});

describe('Success 201', () => {
  test('token, expires_at as ISO time, warning; secret_key is never returned', async () => {
    const { post, text } = await served();
    const { status, body } = await post({ ...RIGHT, label: 'desk' });
    expect(status).toBe(201);
    const warning = expect.stringContaining('shown only once');
    expect(body).toEqual({ token: text, expires_at: '2026-09-22T14:13:20.000Z', warning });
    expect(steps).toEqual(['check', 'issue 7 desk']);
    expect(outcomes).toEqual(['issued']);
  });

  test('expires_at is null when the PAT does not expire', async () => {
    const issue = async () => ({ text: newToken(), token: { ...TOKEN, expires_at: null } });
    const { body } = await (await served({ issue })).post(RIGHT);
    expect(body).toMatchObject({ expires_at: null, warning: expect.stringContaining('does not expire') });
  });
});

describe('errors', () => {
  const WITHOUT_JSON = { 'content-type': 'text/plain' };
  const MALFORMED = { 'content-type': 'nonsense' };

  // `request.test.ts` has every form of a field.
  test.each<[status: number, error: string, what: string, steps: string[], body: unknown, headers?: object]>([
    [400, 'missing_fields', 'client_id is missing', [], { secret_key: 'right-s3cret' }],
    [400, 'missing_fields', 'there is no body', [], ''],
    [400, 'missing_fields', 'the body is sent as text', [], RIGHT, WITHOUT_JSON],
    [400, 'missing_fields', 'the content type is malformed', [], RIGHT, MALFORMED],
    [400, 'invalid_label', 'label is not a text', [], { ...RIGHT, label: 7 }],
    [400, 'invalid_label', 'label has 300,000 bytes', [], { ...RIGHT, label: '⚽'.repeat(100_000) }],
    [403, 'invalid_credentials', 'wrong secret', ['check'], { ...RIGHT, secret_key: 'wrong-s3cret' }],
    [403, 'invalid_credentials', 'wrong id', ['check'], { ...RIGHT, client_id: '8' }],
    [403, 'invalid_credentials', 'an id that no account has', [], { ...RIGHT, client_id: '07' }],
    [403, 'invalid_credentials', 'the secret is too long', [], { ...RIGHT, secret_key: TOO_LONG }],
    [413, 'body_too_large', 'the body is too large', [], { ...RIGHT, padding: 'x'.repeat(BODY_LIMIT) }],
  ])('%i %s: %s', async (status, error, _what, asked, body, headers = {}) => {
    const { post } = await served();
    expect(await post(body, { ...headers })).toMatchObject({ status, body: { error } });
    expect(steps).toEqual(asked);
  });

  test.each<[what: string, changes: Partial<ExchangeOptions>]>([
    ['no account here has the id that is accepted', { contracts: { findSoon: async () => undefined } }],
    ['the upstream knows the credentials as another account', { check: async () => '70' }],
  ])('409 tenant_slug_conflict: %s', async (_, changes) => {
    const { post } = await served(changes);
    expect(await post(RIGHT)).toMatchObject({ status: 409, body: { error: 'tenant_slug_conflict' } });
    expect(steps).not.toContain('issue 7 null');
  });

  test('429 rate_limit_exceeded: per IP, before the body is parsed', async () => {
    const { post } = await served();
    for (let n = 0; n < 30; n++)
      expect((await post({ ...RIGHT, client_id: String(100 + n) })).status).toBe(403);
    now += 1_500;
    // The body is too large as well, but it is not read.
    const { status, headers, body } = await post('x'.repeat(BODY_LIMIT + 1));
    expect({ status, body }).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded' } });
    expect(headers['retry-after']).toBe('899');
    expect(steps).toHaveLength(30);
    expect((await post(RIGHT, {}, '192.0.2.2')).status).toBe(201);
    now = NOW + 15 * 60_000;
    expect((await post(RIGHT)).status).toBe(201);
  });

  test('429 rate_limit_exceeded: per client_id, after validation', async () => {
    const { post } = await served();
    const ask = (body: object, n: number) => post(body, {}, `198.51.100.${n}`);
    for (let n = 0; n < 20; n++) expect(await ask({ client_id: '7' }, n)).toMatchObject({ status: 400 });
    // Right and wrong secrets count alike.
    expect((await ask(RIGHT, 0)).status).toBe(201);
    for (let n = 1; n < 10; n++) expect((await ask({ ...RIGHT, secret_key: 'wrong' }, n)).status).toBe(403);
    now += 60_000;
    const { status, headers, body } = await ask(RIGHT, 20);
    expect({ status, body }).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded' } });
    expect(headers['retry-after']).toBe('840');
    expect(steps.filter((step) => step === 'check')).toHaveLength(10);
    // An attempt at another client id counts for its own limit, although no account has the id.
    expect((await ask({ ...RIGHT, client_id: '07' }, 21)).status).toBe(403);
  });

  test.each<[status: number, error: string, fails: 'check' | 'issue', thrown: Error]>([
    [502, 'statscore_unavailable', 'check', new ExchangeError('STATSCORE_UNAVAILABLE')],
    [500, 'upstream_misconfigured', 'check', new ExchangeError('UPSTREAM_MISCONFIGURED')],
    [500, 'internal_error', 'check', new Error('it has the right-s3cret')],
    [500, 'internal_error', 'issue', new PublishError('TIMEOUT', 'not acknowledged')],
  ])('%i %s where %s throws, and the failure is logged', async (status, error, fails, thrown) => {
    const { app } = await served({ [fails]: () => Promise.reject(thrown) });
    const response = await app.inject({ method: 'POST', url: '/api/v1/token', payload: RIGHT });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject({ error });
    expect(response.body).not.toContain('s3cret');
    expect(logged).toContain('an exchange failed');
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE'] as const)('405 method_not_allowed: %s', async (method) => {
    const { app } = await served();
    const answer = await app.inject({ method, url: '/api/v1/token' });
    expect(answer).toMatchObject({ statusCode: 405, headers: { allow: 'POST' } });
    expect(answer.json()).toMatchObject({ error: 'method_not_allowed' });
  });
});

describe('an incomplete or invalid request', () => {
  const send = async (bytes: string): Promise<string> => {
    const { app } = await served({}, [], 200);
    await app.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => app.close());
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(bytes);
    const answer = await text(socket);
    expect(logged).not.toMatch(/s3cret|rawPacket/);
    return answer;
  };
  const HEAD = 'POST /api/v1/token HTTP/1.1\r\nHost: x\r\n';

  test('is answered 408 when it does not arrive completely in time', async () => {
    expect(await send(`${HEAD}Content-Length: 100\r\n\r\n{"client_id":`)).toMatch(/^HTTP\/1\.1 408 /);
  });

  test.each([
    ['400', 'it is no HTTP', '{"secret_key":"right-s3cret"}\r\n\r\n'],
    ['431', 'its head is too large', `${HEAD}X-Padding: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('is answered %s where %s, and its bytes are not logged', async (status, _, bytes) => {
    expect(await send(bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});

describe('the address that counts', () => {
  test.each([
    ['is the one that a trusted proxy names', ['10.0.0.0/8'], '192.0.2.66', '10.1.2.3', 'forwarded'],
    ['is the last before the trusted proxies', ['10.0.0.1'], '1.1.1.1, 192.0.2.66', '10.0.0.1', 'forwarded'],
    ['is not the one that another sender names', ['10.0.0.0/8'], '192.0.2.66', '11.1.2.3', 'another'],
    ['is not a forwarded one if no proxy is trusted', [], '192.0.2.66', '10.1.2.3', 'another'],
    ['is not one that a client invented', ['10.0.0.1'], '192.0.2.66, 1.1.1.1', '10.0.0.1', 'another'],
    ['is the same one in IPv6 notation', ['10.0.0.1'], '::ffff:192.0.2.66', '10.0.0.1', 'forwarded'],
  ])('%s', async (_, trusted, forwarded, socket, counted) => {
    const { post } = await served({}, trusted);
    for (let n = 0; n < 30; n++) await post({}, { 'x-forwarded-for': forwarded }, socket);
    const { status } = await post({}, {}, '192.0.2.66');
    expect(status === 429 ? 'forwarded' : 'another').toBe(counted);
  });

  test('is the /64 network of an IPv6 address', async () => {
    const { post } = await served();
    for (let n = 0; n < 30; n++) await post({}, {}, `2001:db8:1:2::${n}`);
    expect(await post({}, {}, '2001:db8:1:2:ffff::1')).toMatchObject({ status: 429 });
    expect(await post({}, {}, '2001:db8:1:3::1')).toMatchObject({ status: 400 });
  });
});

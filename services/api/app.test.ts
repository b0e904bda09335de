import { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { ALL_OPERATIONS } from '#contract/rest/operations.ts';
import { createLogger } from '#service/logger.ts';
import { createMetrics } from '#service/metrics.ts';
import { createApp } from './app.ts';
import { createProviderData } from './data/provider-data.ts';
import { apiMetrics } from './metrics.ts';
import { EVERYTHING, World } from './testing/world.ts';

let app: FastifyInstance;
let ready: boolean;
let logged: string;

beforeEach(async () => {
  ready = true;
  logged = '';
  const { views } = new World();
  const registry = createMetrics('api');
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logged += chunk;
      done();
    },
  });
  app = await createApp({
    data: createProviderData(views),
    gatekeeper: { exchange: async () => null, access: (token) => (token === 'good' ? EVERYTHING : null) },
    view: views,
    version: '1.2.3',
    publicUrl: 'https://api.example',
    registry,
    metrics: apiMetrics(registry),
    log: createLogger({ name: 'api', level: 'trace', stream }),
    ready: () => ready,
  });
  onTestFinished(() => app.close());
});

const status = async (url: string) => (await app.inject(url)).statusCode;

it('answers nothing but health and metrics until it has caught up', async () => {
  ready = false;
  for (const url of ['/v2/sports', '/v2/events/1', '/', '/docs', '/nowhere'])
    expect(await status(url)).toBe(503);
  expect(await status('/health/live')).toBe(200);
  expect(await status('/health/ready')).toBe(503);
  expect(await status('/metrics')).toBe(200);
  ready = true;
  for (const url of ['/v2/sports', '/', '/docs', '/health/ready']) expect(await status(url)).toBe(200);
});

it('shows the contract as a document and as a page', async () => {
  const document = (await app.inject('/openapi.json')).json();
  expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://api.example' }] });
  const page = await app.inject('/docs');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  for (const { name, path, params } of ALL_OPERATIONS) {
    expect(document.paths[path].get.operationId).toBe(name);
    expect(page.body).toContain(`GET ${path}`);
    for (const parameter of Object.keys(params.shape))
      expect(page.body).toContain(`<code>${parameter}</code>`);
  }
});

it('counts requests by route and status, and tells no token to a log or a metric', async () => {
  await app.inject('/v2/statuses?token=good');
  await app.inject('/v2/statuses?token=secrettoken');
  await app.inject('/v2/oauth?client_id=1&secret_key=secretkey');
  await app.inject('/v2/events/123456?token=good');
  const { body } = await app.inject('/metrics');
  expect(body).toMatch(/touchline_api_request_seconds_count\{.*route="\/v2\/statuses",status="401".*\} 1/);
  expect(body).toMatch(/route="\/v2\/events\/:id",status="404"/);
  for (const text of [body, logged]) {
    for (const secret of ['secrettoken', 'secretkey', '123456']) expect(text).not.toContain(secret);
  }
});

it('says of a path that there is not nothing but that, wherever it is', async () => {
  for (const path of ['/v2/nowhere', '/v3/events', '/nowhere']) {
    const { statusCode, body } = await app.inject(`${path}?token=secrettoken`);
    expect([statusCode, JSON.parse(body).api.error.message]).toEqual([404, 'Not found']);
    expect(body).not.toContain('secrettoken');
  }
});

it('gives the public address in the URLs of pages', async () => {
  const { api } = (await app.inject('/v2/incidents?limit=5&token=good')).json();
  expect(api.method.next_page).toMatch(/^https:\/\/api\.example\/v2\/incidents\?/);
});

/** Tests of every HTTP server of the tree: its limits and the headers of its answers. */
import { globSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AllowedRanges } from '#outbound/addresses.ts';
import { createMetrics } from '#service/metrics.ts';
import { startOps } from '#service/ops.ts';
import { createProviderData } from '#views/render/answers/provider-data.ts';
import { EVERYTHING, ViewsWorld } from '#views/testing/world.ts';
import { readDataset } from '../data/dataset.ts';
import { createApp as createApi } from '../services/api/app.ts';
import { OPEN } from '../services/api/board/testing/served.ts';
import { manualProvider } from '../services/simulator/rest/testing/manual-provider.ts';
import { createApp as createGateway } from '../services/tool-gateway/app.ts';
import { createApp as createTester } from '../services/webhook-dispatcher/test-endpoint/test-endpoint.ts';
import { ReceiverApp } from '../services/webhook-receiver/app.ts';
import { receiverMetrics } from '../services/webhook-receiver/metrics.ts';
import { createSourceStatus } from '../services/webhook-receiver/source-status.ts';

const log = pino({ level: 'silent' });
const LISTEN = { port: 0, host: '127.0.0.1' } as const;
type Listening = { readonly port: number; close(): Promise<unknown> };

async function fastifyPort(app: {
  listen(options: typeof LISTEN): Promise<string>;
  close(): Promise<unknown>;
}): Promise<Listening> {
  return { port: Number(new URL(await app.listen(LISTEN)).port), close: () => app.close() };
}

const SERVERS: Readonly<Record<string, () => Promise<Listening>>> = {
  'ops server': () => startOps({ ...LISTEN, metrics: createMetrics('tester'), ready: () => true }),
  async 'webhook-receiver'() {
    const app = new ReceiverApp({
      config: {
        WEBHOOK_SECRET: ['0123456789abcdef0123456789ABCDEF'],
        BODY_LIMIT: 1_000,
        PATIENCE_MS: 1_000,
        WEBHOOK_MAX_CONNECTIONS: 10,
        WEBHOOK_MAX_UNPROVEN_BYTES: 10_000,
      },
      store: async () => {},
      metrics: receiverMetrics(createMetrics('webhook-receiver'), {
        pendingBytes: () => 0,
        connections: async () => 0,
        unprovenBytes: () => 0,
      }),
      status: createSourceStatus('one', 0),
      log,
    });
    return { port: await app.listen(LISTEN), close: () => app.close() };
  },
  async api() {
    const { views } = new ViewsWorld();
    const app = await createApi({
      competitions: null,
      data: createProviderData(views),
      view: views,
      version: '1.2.3',
      publicUrl: undefined,
      authenticator: { exchange: async () => null, access: () => EVERYTHING },
      board: OPEN,
      trustedProxies: [],
      registry: createMetrics('api'),
      log,
      ready: () => true,
      onFailure: () => {},
    });
    return fastifyPort(app);
  },
  async 'tool-gateway'() {
    const exchange = { admitAddress: async () => {} } as never;
    return fastifyPort(await createGateway({ trustedProxies: [], log, exchange, onAnswer: () => {} }));
  },
  async 'webhook-dispatcher'() {
    const outbound = { allowed: new AllowedRanges([]), now: Date.now };
    return fastifyPort(await createTester({ ...outbound, proxies: 0, log, attemptsPerMinute: 10 }));
  },
  simulator: async () =>
    fastifyPort(manualProvider({ dataset: readDataset('world-cup-2018'), matches: 1 }).app),
};

const PATHS = '/ /nowhere /%zz /health/live /v2/oauth /docs /board/events /webhook /api/v1/token'.split(' ');

describe.each(Object.entries(SERVERS))('%s', (_, start) => {
  const started = async (): Promise<number> => {
    const server = await start();
    onTestFinished(() => void server.close());
    return server.port;
  };

  test.each(PATHS)('protects the answer of %s', async (path) => {
    const { headers, body } = await fetch(`http://127.0.0.1:${await started()}${path}`);
    await body?.cancel();
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': expect.stringMatching(/^(no-referrer|same-origin)$/),
      'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'/),
      'cache-control': expect.stringMatching(/^(no-store|no-cache)$/),
    });
    expect(headers.has('server') || headers.has('x-powered-by')).toBe(false);
  });

  test('answers what is no HTTP without repeating it', async () => {
    const socket = connect(await started(), '127.0.0.1');
    socket.write('GET /secret-in-the-path\r\nswordfish\r\n\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('x-content-type-options: nosniff');
    expect(answer).not.toMatch(/secret-in-the-path|swordfish/);
  });
});

test('no server is made elsewhere', () => {
  const files = globSync('{libs,services,cli}/**/*.ts', { exclude: ['**/*.test.ts', '**/testing/**'] });
  expect(files.length).toBeGreaterThan(0);
  const makers = files.filter((file) => {
    const code = readFileSync(file, 'utf8');
    if (/import \{[^}]*\bcreateServer\b[^}]*\} from 'node:https?'/s.test(code)) return true;
    return /= fastify\(/.test(code) && !/fastify\(\{[^;]*\.\.\.fastifyServer\(/s.test(code);
  });
  expect(makers).toEqual(['libs/service/http-server.ts']);
});

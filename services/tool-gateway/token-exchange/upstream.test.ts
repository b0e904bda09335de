import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Authority } from '../../../test/support/certificates.ts';
import { serve } from '../../../test/support/listen.ts';
import { upstreamCheck } from './upstream.ts';

const { signal } = new AbortController();
const TOKEN = { client_id: '7', token: 'rest-t0ken', token_expiration: 1_790_003_600 };

const answering = (status: number, body: string): RequestListener => {
  return (_request, response) => response.writeHead(status, { location: '/elsewhere' }).end(body);
};
const envelope = (data: unknown): string =>
  JSON.stringify({ api: { ver: '2.0.0', timestamp: 1_790_000_000, method: { name: 'oauth' }, data } });

async function check(baseUrl: string, timeoutMs = 30_000): Promise<{ result: unknown; outcomes: string[] }> {
  const outcomes: string[] = [];
  const ask = upstreamCheck({ baseUrl, timeoutMs, onAnswer: (outcome) => outcomes.push(outcome) });
  const result: unknown = await ask('7 &', 's3cr&t', signal).catch((error: unknown) => error);
  expect(inspect(result, { depth: 10, showHidden: true })).not.toMatch(/s3cr|t0ken|127\.0\.0\.1/);
  return { result, outcomes };
}

test('requests GET /v2/oauth with the credentials unchanged', async () => {
  let asked = '';
  const url = await serve((request, response) => {
    asked = `${request.method} ${request.url}`;
    response.end(envelope(TOKEN));
  });
  expect(await check(url)).toEqual({ result: '7', outcomes: ['200'] });
  expect(asked).toBe('GET /v2/oauth?client_id=7%20%26&secret_key=s3cr%26t');
});

test('trusts the configured authority beside the default ones', async () => {
  const authority = await Authority.create();
  const listener: RequestListener = (_, response) => response.end(envelope(TOKEN));
  const server = createServer(await authority.sign('upstream'), listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const asked = (ca?: string): Promise<unknown> =>
    upstreamCheck({ baseUrl, ca, timeoutMs: 30_000, onAnswer: () => {} })('7', 's', signal).catch(
      (error: { code: string }) => error.code,
    );
  expect(await asked()).toBe('STATSCORE_UNAVAILABLE');
  expect(await asked(authority.ca.cert)).toBe('7');
});

describe('invalid_credentials: wrong id or secret, or access denied', () => {
  test.each([400, 401, 403])('where the upstream answers %i', async (status) => {
    expect((await check(await serve(answering(status, '{}')))).result).toBeNull();
  });
});

describe('statscore_unavailable: upstream unreachable or transport error', () => {
  const unavailable = { code: 'STATSCORE_UNAVAILABLE' };

  test.each([500, 502, 503, 504, 408, 429])('where it answers %i', async (status) => {
    expect((await check(await serve(answering(status, '')))).result).toMatchObject(unavailable);
  });

  test('where no server listens', async () => {
    const { result, outcomes } = await check('http://127.0.0.1:1');
    expect(result).toMatchObject(unavailable);
    expect(outcomes).toEqual(['unreachable']);
  });

  test('where it does not answer completely in time', async () => {
    expect((await check(await serve(() => {}), 150)).result).toMatchObject(unavailable);
    const half = await serve((_request, response) => void response.writeHead(200).write('{'));
    expect(await check(half, 150)).toMatchObject({ result: unavailable, outcomes: ['timeout'] });
  });

  test('where it breaks the connection, or its answer does not end', async () => {
    const broken = await serve((request) => request.socket.destroy());
    expect((await check(broken)).result).toMatchObject(unavailable);
    const endless = await serve((_request, response) => {
      const timer = setInterval(() => response.write('x'.repeat(20_000)), 1);
      response.on('close', () => clearInterval(timer));
    });
    expect(await check(endless)).toMatchObject({ result: unavailable, outcomes: ['too_large'] });
  });

  test('where too many requests are pending: sends no further one', async () => {
    let asked = 0;
    const { promise: all, resolve } = Promise.withResolvers<void>();
    const held: (() => void)[] = [];
    const baseUrl = await serve((_request, response) => {
      held.push(() => response.end(envelope(TOKEN)));
      asked += 1;
      if (asked === 64) resolve();
    });
    const ask = upstreamCheck({ baseUrl, timeoutMs: 30_000, onAnswer: () => {} });
    const open = Array.from({ length: 64 }, () => ask('7', 's', signal));
    await all;
    await expect(ask('7', 's', signal)).rejects.toMatchObject(unavailable);
    for (const end of held) end();
    await Promise.all(open);
    expect(asked).toBe(64);
    const again = ask('7', 's', signal);
    while (held.length < 65) await new Promise(setImmediate);
    held.at(-1)?.();
    expect(await again).toBe('7');
  });
});

describe('500, server misconfiguration: what answers is no upstream', () => {
  test.each([
    ['a page', 200, '<html>t0ken</html>'],
    ['another envelope', 200, '{"token":"rest-t0ken"}'],
    ['no token', 200, envelope({ client_id: '7' })],
    ['not found', 404, ''],
    ['a redirect', 302, ''],
  ])('%s', async (_, status, body) => {
    const { result } = await check(await serve(answering(status, body)));
    expect(result).toMatchObject({ code: 'UPSTREAM_MISCONFIGURED' });
  });
});

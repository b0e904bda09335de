import { expect, test } from 'vitest';
import type { HttpReply } from '#service/http-get.ts';
import { envelope, testMetrics } from '../testing/answers.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { ProviderError } from './answer.ts';
import { type Grant, providerClient, tokenKeeper } from './provider.ts';

const SECRET = 'the-secret-key';

type Answering = (url: URL, count: number) => { readonly status: number; readonly body?: string };

/** Returns a client of a provider that issues the tokens `token-1`, …; `answer` answers all other requests. */
function clientOf(answer: (url: URL) => Promise<HttpReply>) {
  let tokens = 0;
  const transport = async (_operation: string, address: string): Promise<HttpReply> => {
    const url = new URL(address);
    if (!url.pathname.endsWith('/v2/oauth')) return answer(url);
    tokens += 1;
    const grant = { client_id: '7', token: `token-${tokens}`, token_expiration: 1_000 + 3_600 };
    return { status: 200, body: Buffer.from(envelope(grant, 1_000)) };
  };
  const metrics = testMetrics();
  const clock = new FakeClock();
  const made = providerClient({
    baseUrl: 'https://provider/base',
    clientId: '7',
    secretKey: SECRET,
    transport,
    clock,
    metrics,
    concurrency: 2,
    refusedMs: 1_000,
    signal: new AbortController().signal,
  });
  return { made, metrics, clock };
}

/** As `clientOf`; the test answers with a status and a text. `sent` has the token of each request. */
function provider(answering: Answering) {
  const sent: string[] = [];
  const { made, metrics, clock } = clientOf(async (url) => {
    sent.push(url.searchParams.get('token') ?? '');
    const { status, body } = answering(url, sent.length);
    return { status, body: Buffer.from(body ?? envelope([], 1_000)) };
  });
  const get = () => made.get({ operation: 'events.show', id: 9, query: {} }, new AbortController().signal);
  return { get, sent, metrics, made, clock };
}

test('sends requests to the base address, with the token in the query', async () => {
  let address = '';
  const { get } = provider((url) => {
    address = url.href;
    return { status: 200 };
  });
  expect(await get()).toMatchObject({ timestamp: 1_000, data: [], total: null, next: null });
  expect(address).toBe('https://provider/base/v2/events/9?token=token-1');
});

test('does not send a rejected request again unchanged', async () => {
  const { made, sent } = provider((url) => ({ status: url.searchParams.get('limit') === '7' ? 400 : 200 }));
  const { signal } = new AbortController();
  const read = (query: Record<string, number>) => made.get({ operation: 'events.index', query }, signal);
  await expect(read({ season_id: 1, limit: 7 })).rejects.toMatchObject({ code: 'REJECTED' });
  // The order of the parameters makes no difference.
  await expect(read({ limit: 7, season_id: 1 })).rejects.toMatchObject({ code: 'REJECTED' });
  expect(sent).toHaveLength(1);
  await read({ season_id: 1, limit: 5 });
  await expect(read({ season_id: 2, limit: 7 })).rejects.toMatchObject({ code: 'REJECTED' });
  expect(sent).toHaveLength(3);
});

test('sends a rejected request again after a quarter of an hour', async () => {
  const { get, sent, clock } = provider((_url, count) => ({ status: count < 3 ? 400 : 200 }));
  const minute = 60_000;
  await expect(get()).rejects.toMatchObject({ code: 'REJECTED' });
  for (const now of [15 * minute, 30 * minute]) {
    clock.now = now - 1;
    const before = sent.length;
    await expect(get()).rejects.toMatchObject({ code: 'REJECTED' });
    expect(sent).toHaveLength(before);
    clock.now = now;
    await get().catch(() => {});
    expect(sent).toHaveLength(before + 1);
  }
  await get();
});

test('remembers no request that was answered with another status than 400', async () => {
  const { get, sent } = provider((_url, count) => ({ status: count === 1 ? 421 : 200 }));
  await expect(get()).rejects.toMatchObject({ code: 'REJECTED' });
  await get();
  expect(sent).toHaveLength(2);
});

test('retries once with a new token after 401', async () => {
  const { get, sent } = provider((url) => ({ status: url.href.includes('token-1') ? 401 : 200 }));
  await get();
  expect(sent).toEqual(['token-1', 'token-2']);
});

test('fails after 401 for the new token too', async () => {
  const { get, sent } = provider(() => ({ status: 401 }));
  await expect(get()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(sent).toHaveLength(2);
});

test.each([
  [302, 'REDIRECTED'],
  [400, 'REJECTED'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [410, 'NOT_FOUND'],
  [429, 'SERVER_ERROR'],
  [503, 'SERVER_ERROR'],
] as const)('maps %s to %s, without the token and the address', async (status, code) => {
  const { get, metrics } = provider((url) => ({ status, body: `cannot ${url.href}` }));
  const error: unknown = await get().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, message: expect.stringMatching(/^events\.show: /) });
  const { stack, message, cause } = error as ProviderError;
  for (const text of [stack, message, JSON.stringify(error), await metrics.requests.get()].map(String)) {
    expect(text).not.toMatch(/token|https?:|the-secret/);
  }
  expect(cause).toBeUndefined();
});

test.each([
  ['a body that is not JSON', '{"api":'],
  ['no envelope', '[]'],
  ['no time', '{"api":{"method":{"name":"x"},"data":[]}}'],
  ['no data', '{"api":{"timestamp":1,"method":{"name":"x"}}}'],
  ['a page elsewhere', envelope([], 1, { next_page: 'https://other/v2/feed?page=2' })],
])('rejects an answer with %s', async (_what, body) => {
  const { get } = provider(() => ({ status: 200, body }));
  await expect(get()).rejects.toMatchObject({ code: 'BAD_ANSWER' });
});

test('keeps only the query of the next page, without secrets', async () => {
  const next_page = 'https://provider/elsewhere?page=2&token=token-1&secret_key=s&a%26b=1&limit=5';
  const { get } = provider(() => ({ status: 200, body: envelope([], 1, { next_page }) }));
  expect((await get()).next).toEqual({ page: '2', limit: '5' });
});

test('limits concurrent requests, except those that skip the queue', async () => {
  let running = 0;
  let most = 0;
  const release: (() => void)[] = [];
  const { made } = clientOf(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => release.push(resolve));
    running -= 1;
    return { status: 200, body: Buffer.from(envelope([], 1_000)) };
  });
  const { signal } = new AbortController();
  const gets = Array.from({ length: 5 }, () => made.get({ operation: 'events.index', query: {} }, signal));
  const first = made.get({ operation: 'feed.index', query: {}, first: true }, signal);
  while (release.length > 0 || running > 0 || most === 0) {
    await new Promise(setImmediate);
    for (const letGo of release.splice(0)) letGo();
  }
  await Promise.all([...gets, first]);
  expect(most).toBe(3);
});

test('does not send an aborted request', async () => {
  const { made, sent } = provider(() => ({ status: 200 }));
  const given = made.get({ operation: 'events.index', query: {} }, AbortSignal.abort());
  await expect(given).rejects.toBeInstanceOf(ProviderError);
  expect(sent).toEqual([]);
});

/** Returns a keeper whose tokens are `t1`, `t2`, …; `fail` decides the outcome of each exchange. */
function keeper(lifetimeMs: number, fail: (exchange: number) => Error | null = () => null) {
  const clock = new FakeClock();
  let exchanges = 0;
  const exchange = async (): Promise<Grant> => {
    exchanges += 1;
    const mine = exchanges;
    await Promise.resolve();
    const error = fail(mine);
    if (error !== null) throw error;
    return { token: `t${mine}`, lifetimeMs };
  };
  const tokens = tokenKeeper({ exchange, clock, refusedMs: 60_000 });
  return { clock, tokens, exchanges: () => exchanges };
}

const failure = (code: ProviderError['code']): ProviderError => new ProviderError(code, 'oauth', 'failed');

test('shares one exchange among concurrent requests', async () => {
  const { tokens, exchanges } = keeper(3_600_000);
  expect(await Promise.all([tokens.token(), tokens.token(), tokens.token()])).toEqual(['t1', 't1', 't1']);
  expect(exchanges()).toBe(1);
});

test.each([
  ['five minutes before it expires', 3_600_000, 3_300_000],
  ['at half its life when it is short', 4_000, 2_000],
])('renews a token %s', async (_, lifetimeMs, renewedAt) => {
  const { tokens, clock } = keeper(lifetimeMs);
  await tokens.token();
  clock.now = renewedAt - 1;
  expect(await tokens.token()).toBe('t1');
  clock.now = renewedAt;
  expect(await tokens.token()).toBe('t2');
});

test('replaces a refused token once, however many requests report the refusal', async () => {
  const { tokens, exchanges } = keeper(3_600_000);
  await tokens.token();
  expect(await Promise.all([tokens.replace('t1'), tokens.replace('t1')])).toEqual(['t2', 't2']);
  expect(await tokens.replace('t1')).toBe('t2');
  expect(exchanges()).toBe(2);
});

test('uses a token until it expires while its renewal fails', async () => {
  const { tokens, clock, exchanges } = keeper(3_600_000, (n) => (n > 1 ? failure('SERVER_ERROR') : null));
  await tokens.token();
  clock.now = 3_400_000;
  expect(await tokens.token()).toBe('t1');
  expect(await tokens.token()).toBe('t1');
  expect(exchanges()).toBe(2);
  clock.now = 3_600_000;
  await expect(tokens.token()).rejects.toMatchObject({ code: 'SERVER_ERROR' });
});

test('retries refused credentials only after a pause', async () => {
  const { tokens, clock, exchanges } = keeper(3_600_000, (n) => (n === 1 ? failure('CREDENTIALS') : null));
  await expect(tokens.token()).rejects.toMatchObject({ code: 'CREDENTIALS' });
  await expect(tokens.token()).rejects.toMatchObject({ code: 'CREDENTIALS' });
  expect(exchanges()).toBe(1);
  clock.now = 60_000;
  expect(await tokens.token()).toBe('t2');
});

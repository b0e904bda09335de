/** Tests the limits of the token exchange (spec, "Limits") over replicas, restarts and crashes. */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { topicName } from '#topics/topics.ts';
import type { TestBackbone } from '../../setup/backbone.ts';
import { clients } from '../../support/api.ts';
import { until } from '../../support/poll.ts';
import { readRecords } from '../../support/read-records.ts';
import {
  type ExchangeAnswer,
  type Gateway,
  grant,
  prepareTopics,
  refuse,
  startGateway,
  startUpstream,
  type TestUpstream,
} from '../../support/tool-gateway.ts';

const guess = (clientId: number | string) => ({
  client_id: String(clientId),
  secret_key: `wrong ${clientId}`,
});

const count = (answers: readonly ExchangeAnswer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

// One window for all tests: each asks from addresses of its own, as clients of its own.
let at: TestBackbone;
let upstream: TestUpstream;
let answer: typeof grant;
let one: Gateway;
let two: Gateway;

const start = (): Promise<Gateway> => startGateway(at, upstream.url);

beforeAll(async () => {
  at = await prepareTopics();
  await clients(at, 'add --id 6');
  upstream = await startUpstream((query, response) => answer(query, response));
  [one, two] = await Promise.all([start(), start()]);
});
beforeEach(() => {
  answer = refuse;
  upstream.asked = 0;
});

test('1,000 guesses: 403 within the limits, then 429, and no question to the upstream beyond them', async () => {
  const answers: ExchangeAnswer[] = [];
  for (let n = 0; n < 1_000; n += 50) {
    const some = Array.from({ length: 50 }, (_, k) => {
      // Half of them from one address for many clients, half from many addresses for one client.
      const [client, address] = k % 2 === 0 ? [1_000 + n + k, '198.18.0.1'] : [7, `198.51.${n % 250}.${k}`];
      return (k % 4 < 2 ? one : two).exchange(guess(client), address);
    });
    answers.push(...(await Promise.all(some)));
  }
  expect(count(answers, 403)).toBe(40);
  expect(count(answers, 429)).toBe(960);
  expect(upstream.asked).toBe(40);
  // Attempts that were refused at once were not written; some at the limits, and one for each address, were.
  const written = await readRecords(at.brokers, topicName(at.prefix, 'exchange-attempts'));
  expect(written.length).toBeLessThan(500 + 200);
});

test('/mcp requests: 120 per PAT per window, over all replicas, kept over a restart', async () => {
  answer = grant;
  const other = await start();
  const { token = '' } = (await other.exchange({ client_id: '6', secret_key: 'x' }, '198.18.2.1')).body;
  // 400 means that the request passed the limit: the protocol refuses `{}`.
  const call = async ({ url }: Gateway) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(`${url}/mcp`, { method: 'POST', headers, body: '{}' })).status;
  };
  await until('both know the token', async () => ((await call(two)) === 400 ? true : undefined));
  for (let n = 0; n < 100; n++) expect(await call(other)).toBe(400);
  let admitted = 0;
  await until('the other one refuses', async () => {
    if ((await call(two)) === 429) return true;
    admitted += 1;
    return undefined;
  });
  // 19 are left to it, and what it lets in before it has read of the others.
  expect(admitted).toBeLessThan(60);
  await until('the first one refuses', async () => ((await call(other)) === 429 ? true : undefined));
  expect(await other.service.stop()).toBe(0);
  expect(await call(await start())).toBe(429);
});

test('Exchanges per IP: 30 per window, shared by replicas, kept over a restart and a crash', async () => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? one : two).exchange(guess(3_000 + n), '198.18.1.1')),
  );
  expect([count(answers, 403), count(answers, 429)]).toEqual([30, 30]);
  expect(upstream.asked).toBe(30);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body.error).toBe('rate_limit_exceeded');
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(600);
  // Another address, and the same one in IPv6 notation.
  expect((await one.exchange(guess(1), '198.18.1.2')).status).toBe(403);
  expect((await one.exchange(guess(2), '::ffff:198.18.1.1')).status).toBe(429);

  // An attempt counts although the process dies before it is answered.
  answer = () => {};
  upstream.asked = 0;
  const unanswered = Array.from({ length: 10 }, (_, n) =>
    two.exchange(guess(8), `192.0.2.${n}`).catch(() => 'unanswered'),
  );
  await until('all ten are at the upstream', () => (upstream.asked === 10 ? true : undefined));
  await two.service.kill();
  expect(await Promise.all(unanswered)).toEqual(Array(10).fill('unanswered'));
  expect(await one.service.stop()).toBe(0);
  const again = await start();
  expect((await again.exchange(guess(8), '203.0.113.1')).status).toBe(429);
  expect(upstream.asked).toBe(10);
  answer = refuse;
  expect((await again.exchange(guess(3), '198.18.1.1')).status).toBe(429);
  expect((await again.exchange(guess(4), '198.18.1.2')).status).toBe(403);
  expect(upstream.asked).toBe(11);
});

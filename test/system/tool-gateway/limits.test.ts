/** Tests the limits of the token exchange (spec, "Limits") over replicas, restarts and crashes. */
import { expect, test } from 'vitest';
import { topicName } from '#topics/topics.ts';
import type { TestBackbone } from '../../setup/backbone.ts';
import { clients } from '../../support/api.ts';
import { until } from '../../support/poll.ts';
import { readRecords } from '../../support/read-records.ts';
import {
  type ExchangeAnswer,
  type Gateway,
  grant,
  place,
  startGateway,
  startUpstream,
} from '../../support/tool-gateway.ts';

const guess = (clientId: number | string) => ({
  client_id: String(clientId),
  secret_key: `wrong ${clientId}`,
});

const count = (answers: readonly ExchangeAnswer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

async function attemptsOnTopic({ brokers, prefix }: TestBackbone): Promise<number> {
  return (await readRecords(brokers, topicName(prefix, 'exchange-attempts'))).length;
}

/** Starts replicas with one upstream. */
async function started(replicas: number) {
  const at = await place();
  const upstream = await startUpstream();
  const gateways = await Promise.all(Array.from({ length: replicas }, () => startGateway(at, upstream.url)));
  return { at, upstream, gateways, one: gateways[0] as Gateway, two: gateways[1] as Gateway };
}

test('Exchanges per IP: 30 per window, shared by replicas, kept over a restart and a crash', async () => {
  const { at, upstream, one, two } = await started(2);
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? one : two).exchange(guess(1_000 + n))),
  );
  expect([count(answers, 403), count(answers, 429)]).toEqual([30, 30]);
  expect(upstream.asked).toBe(30);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body.error).toBe('rate_limit_exceeded');
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(600);
  // Another address, and the same one in IPv6 notation.
  expect((await one.exchange(guess(1), '198.18.0.2')).status).toBe(403);
  expect((await one.exchange(guess(2), '::ffff:198.18.0.1')).status).toBe(429);

  expect(await one.service.stop()).toBe(0);
  await two.service.kill();
  const again = await startGateway(at, upstream.url);
  expect((await again.exchange(guess(3))).status).toBe(429);
  expect((await again.exchange(guess(4), '198.18.0.2')).status).toBe(403);
  expect(upstream.asked).toBe(32);
});

test('1,000 guesses: 403 within the limits, then 429, and no question to the upstream beyond them', async () => {
  const { at, upstream, one, two } = await started(2);
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
  expect(await attemptsOnTopic(at)).toBeLessThan(500 + 200);
});

test('an attempt counts although the process dies before it is answered', async () => {
  const at = await place();
  const upstream = await startUpstream(() => {});
  const dying = await startGateway(at, upstream.url);
  const unanswered = Array.from({ length: 10 }, (_, n) =>
    dying.exchange(guess(7), `198.51.100.${n}`).catch(() => 'unanswered'),
  );
  await until('all ten are at the upstream', () => (upstream.asked === 10 ? true : undefined));
  await dying.service.kill();
  expect(await Promise.all(unanswered)).toEqual(Array(10).fill('unanswered'));
  const again = await startGateway(at, upstream.url);
  expect((await again.exchange(guess(7), '203.0.113.1')).status).toBe(429);
  expect(upstream.asked).toBe(10);
});

test('/mcp requests: 120 per PAT per window, over all replicas, kept over a restart', async () => {
  const at = await place();
  await clients(at, 'add --id 6');
  const upstream = await startUpstream(grant);
  const [one, two] = await Promise.all([startGateway(at, upstream.url), startGateway(at, upstream.url)]);
  const { token = '' } = (await one.exchange({ client_id: '6', secret_key: 'x' })).body;
  // 400 means that the request passed the limit: the protocol refuses `{}`.
  const call = async ({ url }: Gateway) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(`${url}/mcp`, { method: 'POST', headers, body: '{}' })).status;
  };
  await until('both know the token', async () => ((await call(two)) === 400 ? true : undefined));
  for (let n = 0; n < 100; n++) expect(await call(one)).toBe(400);
  let admitted = 0;
  await until('the other one refuses', async () => {
    if ((await call(two)) === 429) return true;
    admitted += 1;
    return undefined;
  });
  // 19 are left to it, and what it lets in before it has read of the others.
  expect(admitted).toBeLessThan(60);
  await until('the first one refuses', async () => ((await call(one)) === 429 ? true : undefined));
  expect(await one.service.stop()).toBe(0);
  expect(await call(await startGateway(at, upstream.url))).toBe(429);
});

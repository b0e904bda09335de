/** Connections that the broker closes as idle. */
import { expect, test } from 'vitest';
import { untilTrue } from '../../support/poll.ts';
import { startProxiedKafka } from '../../support/proxied-kafka.ts';
import { CountingApplication } from './counting.ts';

const ROUNDS = 4;
/** Opening a connection takes a few milliseconds; a claim after a retry half a second. */
const MOST_LATER_MS = 150;

test('they are opened again without a claim, and at once', async () => {
  const { proxy, brokers } = await startProxiedKafka({ settings: { 'connections.max.idle.ms': '1000' } });
  const counting = await CountingApplication.create({ brokers, prefix: 'idle.' });
  const { metric } = await counting.start();
  let sent = 0;
  /** How long one record takes, milliseconds, and how many connections are opened for it. */
  const count = async (): Promise<{ ms: number; opened: number }> => {
    sent += 1;
    const { accepted } = proxy;
    const started = performance.now();
    await counting.send(['a', String(sent)]);
    await untilTrue('it counts', async () => (await metric('touchline_records_total')) === sent);
    return { ms: performance.now() - started, opened: proxy.accepted - accepted };
  };
  const usual: Awaited<ReturnType<typeof count>>[] = [];
  const afterIdle: typeof usual = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await count();
    usual.push(await count());
    // Those that are in use stay: of the members of the group, and of reads.
    const { open, accepted } = proxy;
    await untilTrue('the broker closes some', () => proxy.open < open && proxy.accepted === accepted);
    const inUse = proxy.open;
    await untilTrue('the broker closes more', () => proxy.open < inUse, 2_000).catch(() => {});
    afterIdle.push(await count());
  }
  // Those of the sender are opened each time.
  const opened = (of: typeof usual) => of.map((one) => one.opened);
  expect(Math.max(...opened(afterIdle))).toBeGreaterThan(Math.min(...opened(usual)));
  const least = (of: typeof usual) => Math.min(...of.map(({ ms }) => ms));
  expect(least(afterIdle)).toBeLessThan(least(usual) + MOST_LATER_MS);
  expect(await metric('touchline_claims_total')).toBe(2);
  expect(await metric('touchline_task_failures_total')).toBe(0);
  const history = await counting.history(counting.counts);
  expect(history).toEqual(Array.from({ length: sent }, (_, at) => ['a', String(at + 1)]));
});

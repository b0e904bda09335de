/** Other partitions continue while one waits, restores or moves, and the group is not affected. */
import { beforeEach, describe, expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { untilTrue } from '../../support/poll.ts';
import { CountingApplication, keepingLog } from './counting.ts';

const connection = backbone();
/** The minimum that a broker accepts. */
const SESSION_MS = 6_000;

let counting: CountingApplication;
beforeEach(async () => {
  counting = await CountingApplication.create(connection);
});

/** Keys of partitions 0 and 1. */
const [ZERO, ONE] = ['bb', 'a'] as const;

async function countBoth(): Promise<void> {
  const { stream, metric } = await counting.start();
  await counting.send([ZERO, '1'], [ONE, '1']);
  await untilTrue('both', async () => (await metric('touchline_records_total')) === 2);
  await stream.stop();
}

describe('the other partition continues', () => {
  test('while a processor waits for longer than a session, without a rebalance', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { log, lines } = keepingLog();
    const { metric } = await counting.start(
      { process: (value) => (value === 'waits' ? promise : undefined) },
      { log, sessionTimeoutMs: SESSION_MS },
    );
    await counting.send([ONE, 'waits'], [ZERO, '1']);
    let sent = 1;
    const until = performance.now() + 1.5 * SESSION_MS;
    for (; performance.now() < until; sent += 1) {
      await untilTrue(
        'the other one counts',
        async () => (await metric('touchline_records_total', { partition: 0 })) === sent,
      );
      await counting.send([ZERO, 'more']);
    }
    expect(await metric('touchline_records_total', { partition: 1 })).toBe(0);
    resolve();
    await untilTrue('all', async () => (await metric('touchline_records_total')) === sent + 1);
    expect(lines.filter((line) => line.includes('partitions assigned'))).toHaveLength(1);
    expect(await metric('touchline_claims_total')).toBe(2);
    expect(await counting.read(counting.counts)).toEqual({ [ZERO]: String(sent), [ONE]: '1' });
  });

  test('while one restores', async () => {
    await countBoth();
    const { promise, resolve } = Promise.withResolvers<void>();
    const { metric, stream } = await counting.start({
      restore: (partition) => (partition === 1 ? promise : undefined),
    });
    await counting.send([ZERO, '2'], [ONE, '2']);
    await untilTrue('one', async () => (await metric('touchline_records_total', { partition: 0 })) === 1);
    expect(stream.ready()).toBe(false);
    resolve();
    await untilTrue('both', async () => (await metric('touchline_records_total')) === 2);
    expect(await counting.read(counting.counts)).toEqual({ [ZERO]: '2', [ONE]: '2' });
  });
});

describe('a rebalance', () => {
  test('does not restart tasks whose partition stays, whether they run or restore', async () => {
    await countBoth();
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = await counting.start({ restore: (partition) => (partition === 0 ? promise : undefined) });
    await untilTrue('one runs, one restores', async () => {
      const running = await first.metric('touchline_tasks', { state: 'running' });
      return running === 1 && (await first.metric('touchline_tasks', { state: 'restoring' })) === 1;
    });
    const second = await counting.start();
    await untilTrue('each has one', async () => (await second.metric('touchline_claims_total')) === 1);
    await second.stream.stop();
    await untilTrue('the first has both', async () => (await first.metric('touchline_claims_total')) === 3);
    resolve();
    await untilTrue('it is ready', () => first.stream.ready());
    await counting.send([ZERO, '2'], [ONE, '2']);
    await untilTrue('both', async () => (await first.metric('touchline_records_total')) === 2);
    // The partition that the second member got and returned was claimed twice.
    expect(await first.metric('touchline_claims_total', { partition: 0 })).toBe(1);
    expect(await first.metric('touchline_task_failures_total')).toBe(0);
    expect(await counting.read(counting.counts)).toEqual({ [ZERO]: '2', [ONE]: '2' });
  });
});

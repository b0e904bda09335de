import { expect, test, vi } from 'vitest';
import { ProviderError, type ProviderErrorCode } from '../provider/answer.ts';
import { testMetrics } from '../testing/answers.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { ContractScope, type RepeatContext, type Repeated, repeat } from './repeat.ts';

/** Repeats a read that fails with each of `failures`, then succeeds, until there were `reads` attempts. */
async function run(
  failures: readonly (ProviderErrorCode | null)[],
  {
    reads,
    afterFirst = () => {},
    ...more
  }: { reads: number; afterFirst?: (contract: ContractScope) => void } & Partial<Repeated>,
) {
  const clock = new FakeClock();
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const metrics = testMetrics();
  const stop = new AbortController();
  const contract = new ContractScope();
  const context: RepeatContext = {
    clock,
    backoff: { firstMs: 100, ceilingMs: 1_000, random: () => 0.5 },
    contract,
    log,
    metrics,
  };
  let count = 0;
  const read = async (): Promise<'done'> => {
    count += 1;
    if (count >= reads) stop.abort();
    if (count === 1) setImmediate(() => afterFirst(contract));
    const code = failures[count - 1] ?? null;
    if (code !== null) throw new ProviderError(code, 'feed.index', 'failed');
    return 'done';
  };
  await repeat({ resource: 'season/5', periodMs: () => 7, read, ...more }, context, stop.signal);
  return { count, waits: clock.waits, log, metrics };
}

test('waits one period between reads', async () => {
  expect(await run([], { reads: 3 })).toMatchObject({ count: 3, waits: [7, 7, 7] });
});

test.each(['SERVER_ERROR', 'UNREACHABLE', 'TIMEOUT', 'BAD_ANSWER', 'INCONSISTENT', 'UNAUTHORIZED'] as const)(
  'backs off up to the maximum wait after %s, and waits one period after a success',
  async (code) => {
    const { waits } = await run([code, code, code, code, code, code, null, code], { reads: 9 });
    expect(waits).toEqual([50, 100, 200, 400, 500, 500, 7, 50, 7]);
  },
);

test('waits for the maximum time after a rejected request', async () => {
  expect((await run(['REJECTED'], { reads: 2 })).waits).toEqual([1_000, 7]);
});

test('stops a resource after 403 until the contract changes: one log line, one in the metric, no timer', async () => {
  const { count, waits, log, metrics } = await run(['FORBIDDEN', null], {
    reads: 2,
    afterFirst: (contract) => contract.widen(),
  });
  expect([count, waits]).toEqual([2, [7]]);
  expect(log.error).toHaveBeenCalledTimes(1);
  expect((await metrics.stopped.get()).values).toEqual([{ labels: { resource: 'season' }, value: 0 }]);
});

test('notices a contract change during the refused request', async () => {
  const contract = new ContractScope();
  const { changes } = contract;
  contract.widen();
  await contract.changedSince(changes, new AbortController().signal);
  expect(contract.changes).toBe(changes + 1);
});

test('ends a stopped resource with its term', async () => {
  const stop = new AbortController();
  const waiting = new ContractScope().changedSince(0, stop.signal);
  stop.abort();
  await waiting;
});

test('drops one of many after 404, and delays a single resource', async () => {
  expect(await run(['NOT_FOUND'], { reads: 9, oneOfMany: true })).toMatchObject({ count: 1, waits: [] });
  expect(await run(['NOT_FOUND'], { reads: 2 })).toMatchObject({ count: 2, waits: [1_000, 7] });
});

test("rethrows an error that is not the provider's", async () => {
  const read = async (): Promise<never> => {
    throw new Error('the broker is down');
  };
  await expect(run([], { reads: 1, read })).rejects.toThrow('the broker is down');
});

test('logs an outage of a thousand retries in a few lines', async () => {
  const { log } = await run(Array<ProviderErrorCode>(1_000).fill('UNREACHABLE'), { reads: 1_001 });
  expect(log.warn).toHaveBeenCalledTimes(10);
});

import { expect, test, vi } from 'vitest';
import { ProviderError, type ProviderErrorCode } from '../errors.ts';
import { testMetrics } from '../testing/answers.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { backoffMs } from './backoff.ts';
import { ContractScope } from './contract.ts';
import { type RepeatContext, type Repeated, repeat } from './repeat.ts';

/** Runs a reading that fails as told, then succeeds until it has been read `reads` times. */
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
  await repeat({ resource: 'season/5', periodMs: 7, read, ...more }, context, stop.signal);
  return { count, waits: clock.waits, log, metrics };
}

test('waits a period between readings', async () => {
  expect(await run([], { reads: 3 })).toMatchObject({ count: 3, waits: [7, 7, 7] });
});

test.each(['server_error', 'unreachable', 'timeout', 'bad_answer', 'inconsistent', 'unauthorized'] as const)(
  'after %s waits longer each time up to the ceiling, and a period after a success',
  async (code) => {
    const { waits } = await run([code, code, code, code, code, code, null, code], { reads: 9 });
    expect(waits).toEqual([50, 100, 200, 400, 500, 500, 7, 50, 7]);
  },
);

test('a reading that is rejected waits as long as waiting gets', async () => {
  expect((await run(['rejected'], { reads: 2 })).waits).toEqual([1_000, 7]);
});

test('403 stops the resource until the contract changes: one line, one in the metric, no wait that ends', async () => {
  const { count, waits, log, metrics } = await run(['forbidden', null], {
    reads: 2,
    afterFirst: (contract) => contract.widen(),
  });
  expect([count, waits]).toEqual([2, [7]]);
  expect(log.error).toHaveBeenCalledTimes(1);
  expect((await metrics.stopped.get()).values).toEqual([{ labels: { resource: 'season' }, value: 0 }]);
});

test('a contract that changes while the refused request is under way is not missed', async () => {
  const contract = new ContractScope();
  const { changes } = contract;
  contract.widen();
  await contract.changedSince(changes, new AbortController().signal);
  expect(contract.changes).toBe(changes + 1);
});

test('a resource that is stopped ends with its term', async () => {
  const stop = new AbortController();
  const waiting = new ContractScope().changedSince(0, stop.signal);
  stop.abort();
  await waiting;
});

test('404 drops one of many, and makes a resource of its own wait', async () => {
  expect(await run(['not_found'], { reads: 9, oneOfMany: true })).toMatchObject({ count: 1, waits: [] });
  expect(await run(['not_found'], { reads: 2 })).toMatchObject({ count: 2, waits: [1_000, 7] });
});

test('what is no failure of the provider ends it', async () => {
  const read = async (): Promise<never> => {
    throw new Error('the broker is away');
  };
  await expect(run([], { reads: 1, read })).rejects.toThrow('the broker is away');
});

test('an outage of a thousand tries is a few lines', async () => {
  const { log } = await run(Array<ProviderErrorCode>(1_000).fill('unreachable'), { reads: 1_001 });
  expect(log.warn).toHaveBeenCalledTimes(10);
});

test('a wait is anything from nothing to its limit', () => {
  const backoff = { firstMs: 100, ceilingMs: 1_000 };
  expect(backoffMs({ ...backoff, random: () => 0 }, 3)).toBe(0);
  expect(backoffMs({ ...backoff, random: () => 0.999 }, 1)).toBeLessThan(100);
  expect(backoffMs({ ...backoff, random: () => 0.999 }, 1_000_000)).toBeLessThan(1_000);
});

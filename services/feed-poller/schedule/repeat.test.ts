import { expect, test, vi } from 'vitest';
import { ProviderError, type ProviderErrorCode } from '../provider/answer.ts';
import { testMetrics } from '../testing/answers.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { contractScope, type RepeatContext, type Repeated, repeat } from './repeat.ts';

const QUARTER_OF_AN_HOUR = 15 * 60_000;

/** Repeats a read that fails with each of `failures`, then succeeds, until there were `reads` attempts. */
async function run(
  failures: readonly (ProviderErrorCode | null)[],
  { reads, ...more }: { reads: number } & Partial<Repeated>,
) {
  const clock = new FakeClock();
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const metrics = testMetrics();
  const stop = new AbortController();
  const contract = contractScope({ log, metrics });
  const backoff = { firstMs: 100, ceilingMs: 1_000, random: () => 0.5 };
  const context: RepeatContext = { clock, backoff, contract, log, metrics };
  let count = 0;
  /** Number of stopped resources at each read. */
  const stopped: number[] = [];
  const read = async (): Promise<'done'> => {
    count += 1;
    stopped.push((await metrics.stopped.get()).values[0]?.value ?? 0);
    if (count >= reads) stop.abort();
    const code = failures[count - 1] ?? null;
    if (code !== null) throw new ProviderError(code, 'feed.index', 'failed');
    return 'done';
  };
  await repeat({ resource: 'season/5', periodMs: () => 7, read, ...more }, context, stop.signal);
  return { count, waits: clock.waits, stopped, log, metrics };
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

test('requests a refused resource again every quarter of an hour, logs it once, and counts it until it is answered', async () => {
  const refused = await run(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'], { reads: 4 });
  expect(refused.waits).toEqual([...Array(3).fill(QUARTER_OF_AN_HOUR), 7]);
  expect(refused.log.error).toHaveBeenCalledTimes(1);
  expect(refused.stopped).toEqual([0, 1, 1, 1]);
  const { values } = await refused.metrics.stopped.get();
  expect(values).toEqual([{ labels: { resource: 'season' }, value: 0 }]);
});

test('drops what a catalogue lists after 404, and reads all else again after its period', async () => {
  expect(await run(['NOT_FOUND'], { reads: 9, untilMissing: true })).toMatchObject({ count: 1, waits: [] });
  expect(await run(['NOT_FOUND'], { reads: 2 })).toMatchObject({ count: 2, waits: [1_000, 7] });
  const rare = await run(['NOT_FOUND'], { reads: 2, periodMs: () => 3_600_000 });
  expect(rare.waits).toEqual([3_600_000, 3_600_000]);
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

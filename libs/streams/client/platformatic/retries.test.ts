import { NetworkError, ProtocolError } from '@platformatic/kafka';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BrokerConnections } from './connections.ts';
import { retryTransient, untilAnswered } from './retries.ts';

const SLOW_MS = 6_000;
/** How far this clock is ahead. */
let ahead = 0;

beforeEach(() => {
  ahead = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
});
afterEach(() => void vi.restoreAllMocks());

const busy = () => new ProtocolError('CONCURRENT_TRANSACTIONS');

test('retries after a late answer, and no longer than its deadline', async () => {
  let asked = 0;
  const answer = async (good: number): Promise<number> => {
    asked += 1;
    ahead += SLOW_MS;
    if (asked < good) throw busy();
    return asked;
  };
  expect(await retryTransient(() => answer(2))).toBe(2);
  asked = 0;
  await expect(retryTransient(() => answer(Number.POSITIVE_INFINITY))).rejects.toMatchObject({
    apiId: 'CONCURRENT_TRANSACTIONS',
  });
  expect(asked).toBe(2);
});

test('does not retry a fatal error', async () => {
  let asked = 0;
  const refuse = async (): Promise<void> => {
    asked += 1;
    throw new ProtocolError('PRODUCER_FENCED');
  };
  await expect(retryTransient(refuse)).rejects.toMatchObject({ apiId: 'PRODUCER_FENCED' });
  expect(asked).toBe(1);
});

test('asks a question for seven seconds in all, of a broker that is busy and of one that is gone', async () => {
  const connections = new BrokerConnections(['127.0.0.1:1'], 'test');
  for (const error of [busy(), new NetworkError('closed')]) {
    let asked = 0;
    const ask = async (): Promise<void> => {
      asked += 1;
      ahead += 1_000;
      throw error;
    };
    await expect(untilAnswered(connections, 'look', ask)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    // One more that begins in time, and the last one.
    expect(asked).toBeLessThanOrEqual(9);
  }
});

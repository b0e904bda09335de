import { NetworkError, ProtocolError } from '@platformatic/kafka';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BrokerConnections } from './connections.ts';
import { retryTransient, untilAnswered } from './retries.ts';

const SLOW_MS = 6_000;
/** How far the mocked clock is ahead, milliseconds. */
let ahead = 0;

beforeEach(() => {
  ahead = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
});
afterEach(() => void vi.restoreAllMocks());

const busy = () => new ProtocolError('CONCURRENT_TRANSACTIONS');

test('retries after a late response, but not after its deadline', async () => {
  let requests = 0;
  const request = async (successful: number): Promise<number> => {
    requests += 1;
    ahead += SLOW_MS;
    if (requests < successful) throw busy();
    return requests;
  };
  expect(await retryTransient(() => request(2))).toBe(2);
  requests = 0;
  await expect(retryTransient(() => request(99))).rejects.toMatchObject({ apiId: 'CONCURRENT_TRANSACTIONS' });
  expect(requests).toBe(2);
});

test('does not retry a fatal error', async () => {
  let requests = 0;
  const refuse = async (): Promise<void> => {
    requests += 1;
    throw new ProtocolError('PRODUCER_FENCED');
  };
  await expect(retryTransient(refuse)).rejects.toMatchObject({ apiId: 'PRODUCER_FENCED' });
  expect(requests).toBe(1);
});

test('retries a look-up for seven seconds, of a busy broker and of one that is gone', async () => {
  const connections = new BrokerConnections(['127.0.0.1:1'], 'test');
  for (const error of [busy(), new NetworkError('closed')]) {
    let requests = 0;
    const request = async (): Promise<void> => {
      requests += 1;
      ahead += 1_000;
      throw error;
    };
    await expect(untilAnswered(connections, 'look', request)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    // One more begins within the deadline, and the last one after it.
    expect(requests).toBeLessThanOrEqual(9);
  }
});

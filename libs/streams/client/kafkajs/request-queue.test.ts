import { createRequire } from 'node:module';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import './request-queue.ts';

const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const silent = { debug() {}, info() {}, warn() {}, error() {} };

function open(maxInFlightRequests: number | null = null) {
  const sent: number[] = [];
  const queue = new RequestQueue({
    ...{ maxInFlightRequests, requestTimeout: 1_000, enforceRequestTimeout: false },
    ...{ clientId: 'test', broker: 'localhost:9092', logger: silent },
  });
  const push = (correlationId: number): void =>
    queue.push({
      ...{ broker: 'localhost:9092', correlationId, expectResponse: true, requestTimeout: 1_000 },
      ...{ apiKey: 1, apiName: 'Fetch', apiVersion: 11, entry: { correlationId, resolve() {}, reject() {} } },
      sendRequest: () => sent.push(correlationId),
    });
  const answer = (correlationId: number): void =>
    queue.fulfillRequest({ correlationId, payload: null, size: 0 });
  return { queue, sent, push, answer };
}

test('does not check for waiting requests where none waits', () => {
  const { queue, sent, push, answer } = open();
  queue.scheduleCheckPendingRequests();
  push(1);
  answer(1);
  expect(sent).toEqual([1]);
  expect(vi.getTimerCount()).toBe(0);
});

test('sends a request that waits for an answer when that arrives', () => {
  const { sent, push, answer } = open(1);
  push(1);
  push(2);
  expect(sent).toEqual([1]);
  answer(1);
  expect(sent).toEqual([1, 2]);
});

test('sends a request that the broker throttled when that ends', () => {
  const { queue, sent, push } = open();
  queue.maybeThrottle(300);
  push(1);
  vi.advanceTimersByTime(290);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(20);
  expect(sent).toEqual([1]);
  vi.advanceTimersByTime(1_000);
  expect(vi.getTimerCount()).toBe(0);
});

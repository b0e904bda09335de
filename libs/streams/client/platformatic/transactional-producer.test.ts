import { describe, expect, test } from 'vitest';
import { CompletionEstimate } from './transactional-producer.ts';

/** Times of requests that the broker refuses until its transaction is complete: as the producer sends them. */
function requestsOf(estimate: CompletionEstimate, endedAt: number, completeMs: number): number {
  estimate.ended(endedAt);
  let now = endedAt + estimate.waitMs(endedAt);
  let refusals = 0;
  for (let backoff = 2; now < endedAt + completeMs; backoff *= 1.5) {
    refusals += 1;
    now += backoff;
  }
  estimate.begun(now, refusals);
  return refusals + 1;
}

/** Returns the mean number of requests of a transaction, for transactions that follow each other at once. */
function meanRequests(completeMs: () => number): number {
  const estimate = new CompletionEstimate();
  for (let n = 0; n < 20; n += 1) requestsOf(estimate, n * 1_000, completeMs());
  let requests = 0;
  for (let n = 20; n < 220; n += 1) requests += requestsOf(estimate, n * 1_000, completeMs());
  return requests / 200;
}

describe('the estimate of when a transaction is complete', () => {
  test('lets the first transaction begin at once, and one that comes long after the last', () => {
    const estimate = new CompletionEstimate();
    expect(estimate.waitMs(5)).toBe(0);
    requestsOf(estimate, 0, 10);
    expect(estimate.waitMs(100)).toBe(0);
  });

  test.each([2, 8, 30])('asks about once where a transaction takes %i ms to complete', (completeMs) => {
    expect(meanRequests(() => completeMs)).toBeLessThan(1.25);
  });

  test('asks less than twice where the time varies from 5 to 15 ms', () => {
    let n = 0;
    expect(meanRequests(() => 5 + ((n++ * 7) % 11))).toBeLessThan(2);
  });

  test('waits at most 50 ms, and after a slow broker it follows a fast one', () => {
    const estimate = new CompletionEstimate();
    for (let n = 0; n < 20; n += 1) requestsOf(estimate, n * 10_000, 2_000);
    estimate.ended(200_000);
    expect(estimate.waitMs(200_000)).toBeLessThanOrEqual(50);
    for (let n = 30; n < 160; n += 1) requestsOf(estimate, n * 10_000, 3);
    estimate.ended(2_000_000);
    expect(estimate.waitMs(2_000_000)).toBeLessThanOrEqual(5);
  });
});

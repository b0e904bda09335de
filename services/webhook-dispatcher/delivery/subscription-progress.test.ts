import { describe, expect, test } from 'vitest';
import { delaysInPlay, retryDelayMs } from './subscription-progress.ts';

const DELAYS_MS = [1_000, 5_000, 60_000];

describe('the delay before the next attempt', () => {
  test.each([
    [1, 1_000],
    [2, 5_000],
    [3, 60_000],
    [4, 60_000],
    [100, 60_000],
  ])('after %i failed attempts is that of the schedule', (attempts, delay) => {
    expect(retryDelayMs(DELAYS_MS, attempts, null, 0.5)).toBe(delay);
  });

  test('in play is some seconds for a minute, and then that of the schedule', () => {
    const contract = [1, 5, 8, 30, 120, 300].map((seconds) => seconds * 1_000);
    const inPlay = [1, 2, 4, 4, 4, 4, 10, 20, 30, 120, 300].map((seconds) => seconds * 1_000);
    expect(delaysInPlay(contract)).toEqual(inPlay);
    expect(delaysInPlay([20, 50]), 'none longer than the schedule has it').toEqual([
      20,
      50,
      ...inPlay.slice(2, 8),
    ]);
  });

  test('is up to a fifth shorter or longer', () => {
    expect(retryDelayMs(DELAYS_MS, 2, null, 0)).toBe(4_000);
    expect(retryDelayMs(DELAYS_MS, 2, null, 1)).toBe(6_000);
  });

  test('is at least the answer’s Retry-After, up to the limit', () => {
    expect(retryDelayMs(DELAYS_MS, 1, 30_000, 0.5)).toBe(30_000);
    expect(retryDelayMs(DELAYS_MS, 3, 30_000, 0.5)).toBe(60_000);
    expect(retryDelayMs(DELAYS_MS, 1, 86_400_000, 0.5)).toBe(3_600_000);
  });
});

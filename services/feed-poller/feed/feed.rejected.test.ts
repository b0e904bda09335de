import { expect, test } from 'vitest';
import { ProviderError } from '../provider/answer.ts';
import { answer } from '../testing/answers.ts';
import { createFollower, SETTLE, T0 } from './testing/followed-feed.ts';

const { signal } = new AbortController();

/** Returns a follower at `position` of a provider that has the feed from `availableFrom` and rejects windows above `widest`. */
function refusing(position: number, limits: { availableFrom: number; readonly widest: number }) {
  const requests: [number, number][] = [];
  const gaps: [number, number][] = [];
  const follower = createFollower({
    position,
    page: async ({ timestamp, timestamp_to }) => {
      const [from, to] = [Number(timestamp), Number(timestamp_to)];
      requests.push([from, to]);
      if (from < limits.availableFrom || to - from > limits.widest)
        throw new ProviderError('REJECTED', 'feed.index', 'answered 400');
      return answer([], T0);
    },
    onGap: (from, to) => gaps.push([from, to]),
  });
  return { follower, requests, gaps };
}

test('retries a rejected window with the minimum size', async () => {
  const { follower, requests, gaps } = refusing(T0 - 30, { availableFrom: 0, widest: 8 });
  for (let tries = 0; tries < 40; tries++) await follower.read(signal).catch(() => {});
  expect(requests.slice(0, 3)).toEqual([
    [T0 - 30, T0],
    [T0 - 30, T0 - 29],
    [T0 - 29, T0 - 27],
  ]);
  expect(follower.position).toBe(T0 - SETTLE);
  expect(gaps).toEqual([]);
});

test('repeats no rejected window unchanged, and continues when the provider answers again', async () => {
  const windows = { availableFrom: T0, widest: 8 };
  const { follower, requests } = refusing(T0 - 30, windows);
  for (let tries = 0; tries < 6; tries++) await follower.read(signal).catch(() => {});
  expect(requests).toEqual([T0, T0 - 29, T0 - 28, T0 - 27, T0 - 26, T0 - 25].map((to) => [T0 - 30, to]));
  // After 15 sizes the minimum again: the provider may not allow wider windows.
  for (let tries = 0; tries < 11; tries++) await follower.read(signal).catch(() => {});
  expect(requests.slice(-2)).toEqual([
    [T0 - 30, T0 - 15],
    [T0 - 30, T0 - 29],
  ]);
  windows.availableFrom = 0;
  for (let tries = 0; tries < 40; tries++) await follower.read(signal).catch(() => {});
  expect(follower.position).toBe(T0 - SETTLE);
});

test('skips expired history by halves, reports each gap, and never skips the last day', async () => {
  const day = 86_400;
  const { follower, requests, gaps } = refusing(T0 - 4 * day, { availableFrom: T0 - 2 * day, widest: 30 });
  for (let tries = 0; tries < 4; tries++) await follower.read(signal).catch(() => {});
  expect(gaps).toEqual([
    [T0 - 4 * day, T0 - 2.5 * day],
    [T0 - 2.5 * day, T0 - 1.75 * day],
  ]);
  expect(requests.at(-1)?.[0]).toBe(T0 - 1.75 * day);
  const none = refusing(T0 - 3 * day, { availableFrom: T0, widest: 30 });
  for (let tries = 0; tries < 60; tries++) await none.follower.read(signal).catch(() => {});
  expect(none.gaps.at(-1)?.[1]).toBe(T0 - day);
});

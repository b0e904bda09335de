import { expect, test } from 'vitest';
import { ProviderError } from '../provider/answer.ts';
import { answer } from '../testing/answers.ts';
import { feedWaitMs } from './feed.ts';
import { createFollower, SETTINGS, SETTLE, T0, TestFeed, windowText } from './testing/followed-feed.ts';

const { signal } = new AbortController();

test.each([
  { live: 0, silentMs: 60_000, waitMs: 8_000 },
  { live: 1, silentMs: 60_000, waitMs: 2_000 },
  { live: 0, silentMs: 1_000, waitMs: 2_000 },
])('with $live live, silent for $silentMs ms, waits for $waitMs ms', ({ live, silentMs, waitMs }) => {
  expect(feedWaitMs(2_000, live, silentMs)).toBe(waitMs);
});

test('begins `initial` seconds back without a checkpoint, and reads window by window up to now', async () => {
  const feed = new TestFeed();
  await feed.round();
  expect(feed.windows).toEqual(['-100..-70', '-70..-40', '-40..-10', '-10..0']);
  expect(feed.checkpoints).toEqual([T0 - 70, T0 - 40, T0 - SETTLE]);
});

test('writes a checkpoint after a message at once, and of a quiet feed every ten seconds', async () => {
  const feed = new TestFeed(SETTINGS, T0 - SETTLE);
  const quiet = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      feed.now += 1;
      await feed.round();
    }
  };
  await quiet(30);
  expect(feed.checkpoints).toEqual([T0 - 10, T0, T0 + 10]);
  feed.messages.push({ id: 1, ut: T0 + 30, visibleAt: T0 + 30 });
  await quiet(1);
  expect(feed.checkpoints.at(-1)).toBe(T0 + 11);
});

test('reads unsettled seconds again, and publishes each message once', async () => {
  const feed = new TestFeed(SETTINGS, T0 - 10);
  feed.messages.push({ id: 1, ut: T0, visibleAt: T0 }, { id: 2, ut: T0, visibleAt: T0 + 9 });
  await feed.round();
  await feed.round();
  feed.now += 10;
  await feed.round();
  await feed.round();
  expect(feed.published).toEqual([1, 2]);
});

test('halves a window that is too large until it fits', async () => {
  let seconds = 0;
  const follower = createFollower({
    position: T0 - 30,
    page: async ({ timestamp, timestamp_to }) => {
      seconds = Number(timestamp_to) - Number(timestamp);
      if (seconds > 8) throw new ProviderError('TOO_LARGE', 'feed.index', 'too large');
      return answer([], T0);
    },
  });
  for (let tries = 0; tries < 3; tries++) await follower.read(signal).catch(() => {});
  expect(seconds).toBe(7);
});

test.each([
  ['newest', [3, 2, 1]],
  ['oldest', [1, 2, 3]],
])('publishes the oldest message first from a page with the %s first', async (_first, ids) => {
  const published: string[] = [];
  const data = (id: number) => ({ event: { id: 5, clock_time: id } });
  const message = (id: number) => ({ id, type: 'event', ut: T0 - 10 + id, data: data(id) });
  const follower = createFollower({
    position: T0 - 20,
    page: async () => answer(ids.map(message), T0),
    onMessage: ({ message_id }) => published.push(message_id),
  });
  await follower.read(signal);
  expect(published).toEqual(['1', '2', '3']);
});

test('reads all pages of a window', async () => {
  const queries: unknown[] = [];
  const follower = createFollower({
    position: T0 - 5,
    page: async (query) => {
      queries.push(query);
      return answer([], T0, queries.length < 3 ? { next_page: `/v2/feed?page=${queries.length + 1}` } : {});
    },
  });
  await follower.read(signal);
  const window = { timestamp: T0 - 5, timestamp_to: T0 };
  expect(queries).toEqual([window, { page: '2', ...window }, { page: '3', ...window }]);
});

test('starts again when the provider’s clock was set back by a day, and waits for a lagging replica', async () => {
  const feed = new TestFeed(SETTINGS, T0);
  feed.now = T0 - 3;
  await feed.round();
  expect(feed.windows).toEqual(['0..0']);
  expect(feed.clocksBack).toBe(0);
  feed.now = T0 - 86_400;
  await feed.round();
  expect(feed.clocksBack).toBe(1);
  expect(feed.windows[1]).toMatch(/^-86500\.\./);
});

/** Returns a follower at `position` of a provider that has the feed from `availableFrom` and rejects windows above `widest`. */
function refusing(position: number, limits: { availableFrom: number; readonly widest: number }) {
  const requests: string[] = [];
  const gaps: string[] = [];
  const follower = createFollower({
    position,
    page: async ({ timestamp, timestamp_to }) => {
      const [from, to] = [Number(timestamp), Number(timestamp_to)];
      requests.push(windowText(from, to));
      if (from < limits.availableFrom || to - from > limits.widest)
        throw new ProviderError('REJECTED', 'feed.index', 'answered 400');
      return answer([], T0);
    },
    onGap: (from, to) => gaps.push(windowText(from, to)),
  });
  return { follower, requests, gaps };
}

test('retries a rejected window with the minimum size', async () => {
  const { follower, requests, gaps } = refusing(T0 - 30, { availableFrom: 0, widest: 8 });
  for (let tries = 0; tries < 40; tries++) await follower.read(signal).catch(() => {});
  expect(requests.slice(0, 3)).toEqual(['-30..0', '-30..-29', '-29..-27']);
  expect(follower.position()).toBe(T0 - SETTLE);
  expect(gaps).toEqual([]);
});

test('repeats no rejected window unchanged, and continues when the provider answers again', async () => {
  const windows = { availableFrom: T0, widest: 8 };
  const { follower, requests } = refusing(T0 - 30, windows);
  for (let tries = 0; tries < 6; tries++) await follower.read(signal).catch(() => {});
  expect(requests).toEqual([0, -29, -28, -27, -26, -25].map((to) => `-30..${to}`));
  // After 15 sizes the minimum again: the provider may not allow wider windows.
  for (let tries = 0; tries < 11; tries++) await follower.read(signal).catch(() => {});
  expect(requests.slice(-2)).toEqual(['-30..-15', '-30..-29']);
  windows.availableFrom = 0;
  for (let tries = 0; tries < 40; tries++) await follower.read(signal).catch(() => {});
  expect(follower.position()).toBe(T0 - SETTLE);
});

test('skips expired history by halves, reports each gap, and never skips the last day', async () => {
  const day = 86_400;
  const { follower, requests, gaps } = refusing(T0 - 4 * day, { availableFrom: T0 - 2 * day, widest: 30 });
  for (let tries = 0; tries < 4; tries++) await follower.read(signal).catch(() => {});
  expect(gaps).toEqual([`${-4 * day}..${-2.5 * day}`, `${-2.5 * day}..${-1.75 * day}`]);
  expect(requests.at(-1)).toMatch(new RegExp(`^${-1.75 * day}\\.\\.`));
  const none = refusing(T0 - 3 * day, { availableFrom: T0, widest: 30 });
  for (let tries = 0; tries < 60; tries++) await none.follower.read(signal).catch(() => {});
  expect(none.gaps.at(-1)).toMatch(new RegExp(`\\.\\.${-day}$`));
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProviderError } from '../provider/answer.ts';
import { answer } from '../testing/answers.ts';
import { FeedFollower, type FeedSettings, feedWaitMs } from './feed.ts';

type Message = { readonly id: number; readonly ut: number; readonly visibleAt: number };

const SETTLE = 20;
const SETTINGS: FeedSettings = { window: 30, settle: SETTLE, initial: 100 };
const T0 = 1_000_000;
const { signal } = new AbortController();

/** A feed with a clock that tests set, and the records that the follower publishes from it. */
class World {
  now = T0;
  readonly messages: Message[] = [];
  readonly published: number[] = [];
  readonly checkpoints: number[] = [];
  /** Messages that a checkpoint covered before they were published. */
  readonly missed: Message[] = [];
  readonly windows: { from: number; to: number }[] = [];
  clocksBack = 0;
  /** Seconds by which each page advances the clock. */
  pace = 0;
  /** Whether the next operation fails. */
  fails: (what: 'page' | 'deliver' | 'checkpoint') => boolean = () => false;
  follower: FeedFollower;
  readonly #settings: FeedSettings;

  constructor(settings: FeedSettings = SETTINGS, position: number | null = null) {
    this.#settings = settings;
    this.follower = this.#follow(position);
  }

  /** Starts a new follower from the last checkpoint. */
  restart(): void {
    this.follower = this.#follow(this.checkpoints.at(-1) ?? null);
  }

  /** Reads until the provider's now is reached, at most `tries` windows. */
  async round(tries = 1_000): Promise<void> {
    for (let left = tries; left > 0; left--) {
      const outcome = await this.follower.read(signal).catch(() => 'failed' as const);
      if (outcome === 'done') return;
    }
  }

  #follow(position: number | null): FeedFollower {
    return new FeedFollower({
      ...this.#settings,
      position,
      time: async () => this.now,
      page: async ({ timestamp, timestamp_to }) => {
        if (this.fails('page')) throw new ProviderError('SERVER_ERROR', 'feed.index', 'failed');
        this.now += this.pace;
        const [from, to] = [Number(timestamp), Number(timestamp_to)];
        this.windows.push({ from, to });
        const found = this.messages.filter(
          ({ ut, visibleAt }) => ut >= from && ut <= to && visibleAt <= this.now,
        );
        const data = found.map(({ id, ut }) => ({ id, ut, type: 'event', data: { event: { id: 1 } } }));
        return answer(data, this.now);
      },
      topicWriter: {
        deliver: async ({ normalized }) => {
          if (this.fails('deliver')) throw new Error('not acknowledged');
          for (const { message_id } of normalized) this.published.push(Number(message_id));
        },
        checkpoint: async (_resource, position) => {
          if (this.fails('checkpoint')) throw new Error('not acknowledged');
          this.#findMissed(position);
          this.checkpoints.push(position);
        },
      },
      clock: { unix: () => 0 },
      onMessage: () => {},
      onGap: () => {},
      onClockBack: () => {
        this.clocksBack += 1;
      },
    });
  }

  #findMissed(position: number): void {
    for (const message of this.messages) {
      if (message.ut <= position && !this.published.includes(message.id)) this.missed.push(message);
    }
  }
}

test.each([
  { live: 0, silentMs: 60_000, waitMs: 8_000 },
  { live: 1, silentMs: 60_000, waitMs: 2_000 },
  { live: 0, silentMs: 1_000, waitMs: 2_000 },
])('with $live live, $silentMs ms after the last message, waits for $waitMs ms', ({ waitMs, ...when }) => {
  expect(feedWaitMs(2_000, when)).toBe(waitMs);
});

test('begins `initial` seconds back without a checkpoint, and reads window by window up to now', async () => {
  const world = new World();
  await world.round();
  expect(world.windows).toEqual([
    { from: T0 - 100, to: T0 - 70 },
    { from: T0 - 70, to: T0 - 40 },
    { from: T0 - 40, to: T0 - 10 },
    { from: T0 - 10, to: T0 },
  ]);
  expect(world.checkpoints).toEqual([T0 - 70, T0 - 40, T0 - SETTLE]);
});

test('begins at an existing checkpoint', async () => {
  const world = new World(SETTINGS, T0 - 10);
  await world.round();
  expect(world.windows).toEqual([{ from: T0 - 10, to: T0 }]);
  expect(world.checkpoints).toEqual([]);
});

test('writes a checkpoint after a message at once, and of a quiet feed every ten seconds', async () => {
  const world = new World(SETTINGS, T0 - SETTLE);
  const quiet = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      world.now += 1;
      await world.round();
    }
  };
  await quiet(30);
  expect(world.checkpoints).toEqual([T0 - 10, T0, T0 + 10]);
  world.messages.push({ id: 1, ut: T0 + 30, visibleAt: T0 + 30 });
  await quiet(1);
  expect(world.checkpoints.at(-1)).toBe(T0 + 11);
});

test('reads unsettled seconds again, and publishes each message once', async () => {
  const world = new World(SETTINGS, T0 - 10);
  world.messages.push({ id: 1, ut: T0, visibleAt: T0 }, { id: 2, ut: T0, visibleAt: T0 + 9 });
  await world.round();
  await world.round();
  world.now += 10;
  await world.round();
  await world.round();
  expect(world.published).toEqual([1, 2]);
});

test('halves a window that is too large until it fits', async () => {
  const world = new World(SETTINGS, T0 - 30);
  let sizes = 0;
  const page = new FeedFollower({
    ...SETTINGS,
    position: T0 - 30,
    time: async () => T0,
    page: async ({ timestamp, timestamp_to }) => {
      sizes = Number(timestamp_to) - Number(timestamp);
      if (sizes > 8) throw new ProviderError('TOO_LARGE', 'feed.index', 'too large');
      return answer([], T0);
    },
    topicWriter: { deliver: async () => {}, checkpoint: async () => {} },
    clock: { unix: () => 0 },
    onMessage: () => {},
    onClockBack: () => {},
    onGap: () => {},
  });
  for (let tries = 0; tries < 3; tries++) await page.read(signal).catch(() => {});
  expect(sizes).toBe(7);
  expect(world.clocksBack).toBe(0);
});

/** Returns a follower at `position` of a provider that has the feed from `availableFrom` and rejects windows above `widest`. */
function refusing(position: number, limits: { availableFrom: number; readonly widest: number }) {
  const requests: [number, number][] = [];
  const gaps: [number, number][] = [];
  const follower = new FeedFollower({
    ...SETTINGS,
    position,
    time: async () => T0,
    page: async ({ timestamp, timestamp_to }) => {
      const [from, to] = [Number(timestamp), Number(timestamp_to)];
      requests.push([from, to]);
      if (from < limits.availableFrom || to - from > limits.widest)
        throw new ProviderError('REJECTED', 'feed.index', 'answered 400');
      return answer([], T0);
    },
    topicWriter: { deliver: async () => {}, checkpoint: async () => {} },
    clock: { unix: () => 0 },
    onMessage: () => {},
    onClockBack: () => {},
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

test('does not skip a rejected window within the last day', async () => {
  const { follower, gaps } = refusing(T0 - 60, { availableFrom: T0, widest: 30 });
  for (let tries = 0; tries < 9; tries++) await follower.read(signal).catch(() => {});
  expect([follower.position, gaps]).toEqual([T0 - 60, []]);
});

test.each([
  ['newest', [3, 2, 1]],
  ['oldest', [1, 2, 3]],
])('publishes the oldest message first from a page with the %s first', async (_first, ids) => {
  const published: string[] = [];
  const message = (id: number) => ({
    id,
    type: 'event',
    ut: T0 - 10 + id,
    data: { event: { id: 5, clock_time: id } },
  });
  const follower = new FeedFollower({
    ...SETTINGS,
    position: T0 - 20,
    time: async () => T0,
    page: async () => answer(ids.map(message), T0),
    topicWriter: { deliver: async () => {}, checkpoint: async () => {} },
    clock: { unix: () => 0 },
    onMessage: ({ message_id }) => published.push(message_id),
    onClockBack: () => {},
    onGap: () => {},
  });
  await follower.read(signal);
  expect(published).toEqual(['1', '2', '3']);
});

test('reads all pages of a window', async () => {
  const queries: unknown[] = [];
  const follower = new FeedFollower({
    ...SETTINGS,
    position: T0 - 5,
    time: async () => T0,
    page: async (query) => {
      queries.push(query);
      return answer([], T0, queries.length < 3 ? { next_page: `/v2/feed?page=${queries.length + 1}` } : {});
    },
    topicWriter: { deliver: async () => {}, checkpoint: async () => {} },
    clock: { unix: () => 0 },
    onMessage: () => {},
    onClockBack: () => {},
    onGap: () => {},
  });
  await follower.read(signal);
  const window = { timestamp: T0 - 5, timestamp_to: T0 };
  expect(queries).toEqual([window, { page: '2', ...window }, { page: '3', ...window }]);
});

test('starts again when the provider’s clock was set back by a day, and waits for a lagging replica', async () => {
  const world = new World(SETTINGS, T0);
  world.now = T0 - 3;
  await world.round();
  expect(world.windows).toEqual([{ from: T0, to: T0 }]);
  expect(world.clocksBack).toBe(0);
  world.now = T0 - 86_400;
  await world.round();
  expect(world.clocksBack).toBe(1);
  expect(world.windows[1]?.from).toBe(T0 - 86_400 - 100);
});

const step = fc.oneof(
  fc.record({
    kind: fc.constant('time' as const),
    seconds: fc.oneof(fc.integer({ min: 0, max: 25 }), fc.integer({ min: 0, max: 120 })),
  }),
  fc.record({
    kind: fc.constant('message' as const),
    // Delay until a message becomes visible, within the settle margin.
    late: fc.oneof(fc.constant(SETTLE), fc.integer({ min: 0, max: SETTLE })),
  }),
  fc.record({ kind: fc.constant('round' as const), windows: fc.integer({ min: 1, max: 8 }) }),
  fc.constant({ kind: 'restart' as const }),
);

test('misses no message and never has a checkpoint ahead of it, whichever operations fail', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.array(fc.boolean(), { maxLength: 60 }),
      fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 200 })),
      fc.integer({ min: 0, max: 20 }),
      async (steps, failures, window, pace) => {
        const world = new World({ ...SETTINGS, window }, T0);
        world.checkpoints.push(T0);
        world.pace = pace;
        let done = 0;
        world.fails = () => {
          done += 1;
          return failures[done] === true;
        };
        let id = 0;
        for (const one of steps) {
          if (one.kind === 'time') world.now += one.seconds;
          else if (one.kind === 'round') await world.round(one.windows);
          else if (one.kind === 'restart') world.restart();
          else {
            id += 1;
            world.messages.push({ id, ut: world.now, visibleAt: world.now + one.late });
          }
        }
        world.fails = () => false;
        world.pace = 0;
        world.now += SETTLE + 1;
        // The first window may be the rest of an earlier one.
        await world.round();
        await world.round();
        const wanted = world.messages.map((message) => message.id);
        expect([...new Set(world.published)].toSorted((a, b) => a - b)).toEqual(wanted);
        expect(world.missed).toEqual([]);
        expect(world.checkpoints).toEqual(world.checkpoints.toSorted((a, b) => a - b));
      },
    ),
    { numRuns: 2_000 },
  );
});

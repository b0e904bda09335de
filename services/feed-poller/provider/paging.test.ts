import { expect, test } from 'vitest';
import type { FeedAnswer } from './answer.ts';
import { readPages } from './paging.ts';

type ListPage = {
  readonly timestamp: number;
  readonly total: number | null;
  readonly items: readonly string[];
};

/** Reads a list of ids from a provider with these pages. */
function readList(page: (at: number) => Promise<ListPage>, absenceCounts: boolean) {
  const get = async ({
    query,
  }: {
    query: Readonly<Record<string, string | number>>;
  }): Promise<FeedAnswer> => {
    const { items, ...rest } = await page(Number(query.page));
    return { ...rest, data: items, next: null, body: Buffer.alloc(0) };
  };
  const list = {
    itemsOf: ({ data }: FeedAnswer) => data as string[],
    idOf: (item: string) => item,
    absenceCounts,
  };
  const request = { operation: 'events.index', query: {} } as const;
  return readPages({ get }, request, list, new AbortController().signal);
}

/** Reads a list whose state before the n-th request (from 1) is `lists[n - 1]`, its last state after that. */
async function read(
  lists: readonly (readonly string[])[],
  { absenceCounts = true, limit = 2 }: { absenceCounts?: boolean; limit?: number } = {},
) {
  let requests = 0;
  const page = async (at: number): Promise<ListPage> => {
    const list = lists[Math.min(requests, lists.length - 1)] ?? [];
    requests += 1;
    const items = list.slice((at - 1) * limit, at * limit);
    return { timestamp: 100 + requests, total: list.length, items };
  };
  const whole = await readList(page, absenceCounts);
  return { ...whole, requests };
}

test('reads a list of one page once', async () => {
  expect(await read([['a', 'b']])).toEqual({ timestamp: 101, items: ['a', 'b'], requests: 1 });
  expect(await read([[]])).toEqual({ timestamp: 101, items: [], requests: 1 });
});

test('reads several pages until the ids of two reads agree, and returns the time of the first page', async () => {
  expect(await read([['a', 'b', 'c']])).toEqual({ timestamp: 101, items: ['a', 'b', 'c'], requests: 4 });
});

test('reads several pages once when absence does not mean removal', async () => {
  expect(await read([['a', 'b', 'c']], { absenceCounts: false })).toMatchObject({ requests: 2 });
});

test('restarts when the count changes between pages', async () => {
  const read4 = await read(
    [
      ['a', 'b', 'c'],
      ['a', 'b', 'c', 'd'],
    ],
    { absenceCounts: false },
  );
  expect(read4).toMatchObject({ timestamp: 103, items: ['a', 'b', 'c', 'd'] });
});

test('restarts when an item is on two pages', async () => {
  // `0` appeared before the others: `b` moves to the second page, `c` is left out, and the count is the same.
  const moved = await read(
    [
      ['a', 'b', 'c'],
      ['0', 'a', 'b'],
      ['0', 'a', 'b'],
    ],
    { absenceCounts: false },
  );
  expect(moved.items).toEqual(['0', 'a', 'b']);
});

test('finds an item that one that appears and one that disappears would hide', async () => {
  const stable = ['b', 'c', 'd', 'e'];
  const seen = await read([['a', 'b', 'c', 'd'], stable]);
  // The first pass saw a, b, d, e: the right count, no id twice, and c missing.
  expect(seen.items).toEqual(stable);
});

test('restarts when a page ends early', async () => {
  let requests = 0;
  const page = async (at: number): Promise<ListPage> => {
    requests += 1;
    const items = at === 1 ? ['a', 'b'] : requests === 2 ? [] : ['c'];
    return { timestamp: 1, total: 3, items };
  };
  const whole = await readList(page, false);
  expect(whole.items).toEqual(['a', 'b', 'c']);
});

test('fails when a list changes during every attempt', async () => {
  let requests = 0;
  const page = async (): Promise<ListPage> => {
    requests += 1;
    return { timestamp: 1, total: 100 + requests, items: [String(requests)] };
  };
  const reading = readList(page, true);
  await expect(reading).rejects.toMatchObject({ code: 'INCONSISTENT' });
});

test('treats a list without a count as one page', async () => {
  const page = async (): Promise<ListPage> => ({ timestamp: 1, total: null, items: ['a'] });
  expect((await readList(page, true)).items).toEqual(['a']);
});

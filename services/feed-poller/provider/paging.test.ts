import { expect, test } from 'vitest';
import type { FeedAnswer } from './answer.ts';
import { readPages } from './paging.ts';

type ListPage = { timestamp: number; total: number | null; items: readonly string[] };

/** Reads a list of ids from a provider with these pages. */
function readList(page: (at: number) => Promise<ListPage>, absenceCounts: boolean) {
  const get = async ({ query }: { query: Record<string, unknown> }): Promise<FeedAnswer> => {
    const { items, ...rest } = await page(Number(query.page));
    return { ...rest, data: items, next: null, body: Buffer.alloc(0) };
  };
  const list = { itemsOf: ({ data }: FeedAnswer) => data as string[], idOf: String, absenceCounts };
  const request = { operation: 'events.index', query: {} } as const;
  return readPages({ get }, request, list, new AbortController().signal);
}

/** Reads a list of letters in pages of two: before the n-th request (from 1) it is `lists[n - 1]`, then its last state. */
async function read(lists: readonly string[], absenceCounts: boolean) {
  let requests = 0;
  const page = async (at: number): Promise<ListPage> => {
    const list = lists[Math.min(requests, lists.length - 1)] ?? '';
    requests += 1;
    return { timestamp: 100 + requests, total: list.length, items: [...list.slice(2 * at - 2, 2 * at)] };
  };
  const { items, timestamp } = await readList(page, absenceCounts);
  return { timestamp, items: items.join(''), requests };
}

test.each<[does: string, lists: string[], absenceCounts: boolean, whole: object]>([
  ['reads a list of one page once', ['ab'], true, { timestamp: 101, items: 'ab', requests: 1 }],
  ['reads an empty list once', [''], true, { timestamp: 101, items: '', requests: 1 }],
  // The time is that of the first page.
  ['reads pages until two reads agree', ['abc'], true, { timestamp: 101, items: 'abc', requests: 4 }],
  ['reads several pages once when absence does not mean removal', ['abc'], false, { requests: 2 }],
  ['restarts when the count changes', ['abc', 'abcd'], false, { timestamp: 103, items: 'abcd' }],
  // `0` appeared before the others: `b` moves to the second page, `c` is left out, and the count is the same.
  ['restarts when an item is on two pages', ['abc', '0ab', '0ab'], false, { items: '0ab' }],
  // The first pass saw a, b, d, e: the right count, no id twice, and c missing.
  ['finds an item that a new and a lost one would hide', ['abcd', 'bcde'], true, { items: 'bcde' }],
])('%s', async (_, lists, absenceCounts, whole) => {
  expect(await read(lists, absenceCounts)).toMatchObject(whole);
});

test('restarts when a page ends early', async () => {
  let requests = 0;
  const page = async (at: number): Promise<ListPage> => {
    requests += 1;
    const items = at === 1 ? ['a', 'b'] : requests === 2 ? [] : ['c'];
    return { timestamp: 1, total: 3, items };
  };
  expect((await readList(page, false)).items).toEqual(['a', 'b', 'c']);
});

test('fails when a list changes during every attempt', async () => {
  let requests = 0;
  const page = async (): Promise<ListPage> => {
    requests += 1;
    return { timestamp: 1, total: 100 + requests, items: [String(requests)] };
  };
  await expect(readList(page, true)).rejects.toMatchObject({ code: 'INCONSISTENT' });
});

test('treats a list without a count as one page', async () => {
  const page = async (): Promise<ListPage> => ({ timestamp: 1, total: null, items: ['a'] });
  expect((await readList(page, true)).items).toEqual(['a']);
});

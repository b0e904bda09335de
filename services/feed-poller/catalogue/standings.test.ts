import { expect, test } from 'vitest';
import type { CatalogueItem } from '#ingestion/catalogue.ts';
import type { ProviderStandings } from '#records/types.ts';
import { ProviderError } from '../provider/answer.ts';
import type { ProviderRequest } from '../provider/provider.ts';
import type { Raw } from '../provider/tree.ts';
import { answer } from '../testing/answers.ts';
import { rankingsReader, readLeagues } from './standings.ts';

const { signal } = new AbortController();
const NOW = 2_000;

const RANKING = { type_id: 9, type_name: 'FIFA ranking', object_type: 'sport', object_id: 5, ut: 100 };
const listed = (id: number, more: Raw = {}): Raw => ({
  id,
  ...RANKING,
  name: 'FIFA ranking - World',
  subtype: 'standings',
  object_name: 'Soccer',
  sport_id: 5,
  item_status: 'active',
  ...more,
});
const table = (id: number, more: Raw = {}): Raw => ({
  id,
  ...RANKING,
  columns: [],
  groups: [{ id: '', name: '', participants: [{ id: 1, name: 'One', rank: 1, columns: [] }] }],
  ...more,
});

/** Returns a provider of standings, and the records published from it. */
function world() {
  const list: Raw[] = [];
  const tables = new Map<number, Raw>();
  const requests: ProviderRequest[] = [];
  const written: ProviderStandings[] = [];
  const provider = {
    async get(request: ProviderRequest) {
      requests.push(request);
      if (request.operation === 'standings.index') {
        const { page, timestamp } = request.query;
        const found = list.filter(({ ut = 0 }) => Number(ut) >= Number(timestamp ?? 0));
        const data = { standings_list: found.slice((Number(page) - 1) * 2, Number(page) * 2) };
        return answer(data, NOW, { total_items: found.length });
      }
      const standings = tables.get(request.id ?? 0);
      if (standings === undefined) throw new ProviderError('NOT_FOUND', request.operation, 'answered 404');
      return answer({ standings }, NOW);
    },
  };
  const topicWriter = { ranking: async (ranking: ProviderStandings) => void written.push(ranking) };
  const rankings = rankingsReader({ provider, topicWriter });
  return { list, tables, requests, written, rankings, provider };
}

test('finds the rankings on all pages of the catalogue, and later only the new entries', async () => {
  const { list, requests, rankings } = world();
  list.push(listed(1), listed(2, { type_id: 2 }), listed(3, { type_id: '11' }));
  list.push(listed(4, { item_status: 'deleted' }));
  list.push(listed(2 ** 52 + 1, { type_id: 6 }));
  expect(await rankings.readList(5, null, signal)).toEqual({ ids: [1, 3], time: NOW });
  const pages = [1, 2, 3].map((page) => ({ sport_id: 5, limit: 500, page }));
  expect(requests.map(({ query }) => query)).toEqual(pages);
  list.push(listed(9, { ut: NOW }));
  expect((await rankings.readList(5, NOW, signal)).ids).toEqual([9]);
  expect(requests.at(-1)?.query).toEqual({ sport_id: 5, timestamp: NOW, limit: 500, page: 1 });
});

test('publishes changed rows even without a newer time, and ignores an older table', async () => {
  const { tables, written, rankings } = world();
  const newer = { ut: 101, groups: [] };
  for (const changes of [{}, { groups: [] }, { ut: 90 }, newer, newer]) {
    tables.set(1, table(1, changes));
    await rankings.read(1, signal);
  }
  expect(written.map(({ version }) => version)).toEqual([100, 100, 101]);
});

test('publishes a deleted ranking once, and reads it again when it is listed again', async () => {
  const { list, tables, written, rankings } = world();
  tables.set(1, table(1));
  list.push(listed(1));
  await rankings.readList(5, null, signal);
  await rankings.read(1, signal);
  list[0] = listed(1, { item_status: 'deleted', ut: 120 });
  expect((await rankings.readList(5, null, signal)).ids).toEqual([]);
  await rankings.readList(5, null, signal);
  expect(await rankings.read(1, signal)).toBe('end');
  expect(written.slice(1)).toMatchObject([{ item_status: 'deleted', version: 120, groups: [] }]);
  list[0] = listed(1, { ut: 130 });
  expect((await rankings.readList(5, null, signal)).ids).toEqual([1]);
  await rankings.read(1, signal);
  expect(written.at(-1)).toMatchObject({ item_status: 'active', version: 130, ut: 100 });
});

test('rejects an answer that is not the requested ranking', async () => {
  const { tables, written, rankings } = world();
  for (const one of [table(2), table(1, { type_id: 2 }), table(1, { object_id: null })]) {
    tables.set(1, one);
    await expect(rankings.read(1, signal)).rejects.toMatchObject({ code: 'BAD_ANSWER' });
  }
  await expect(rankings.read(7, signal)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(written).toEqual([]);
});

test('publishes league tables without one that is gone, and refuses an answer that is no table', async () => {
  const { list, tables, provider } = world();
  list.push({ id: 1, type_id: 2 }, { id: 2, type_id: 2 });
  const published: unknown[] = [];
  const catalogue = { publish: async ([item]: readonly CatalogueItem[]) => void published.push(item?.id) };
  const read = () => readLeagues(provider, catalogue, 31, signal);
  tables.set(2, { object_id: 31 });
  await read();
  expect(published).toEqual(['2']);
  tables.set(1, {});
  await expect(read()).rejects.toMatchObject({ code: 'BAD_ANSWER' });
});

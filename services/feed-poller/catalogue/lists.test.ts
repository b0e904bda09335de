import { expect, test } from 'vitest';
import type { CatalogueItem } from '#ingestion/catalogue.ts';
import { ProviderError } from '../provider/answer.ts';
import type { ProviderRequest } from '../provider/provider.ts';
import type { Raw } from '../provider/tree.ts';
import { answer } from '../testing/answers.ts';
import { ProviderLeagues } from './lists.ts';

const { signal } = new AbortController();
const NOW = 2_000;

/** Returns a provider of tables, and what is published of them. */
function world(list: readonly Raw[], tables: Readonly<Record<number, Raw>>) {
  const requests: ProviderRequest[] = [];
  const published: [CatalogueItem, number][] = [];
  const leagues = new ProviderLeagues(
    {
      async get(request) {
        requests.push(request);
        if (request.operation === 'standings.index') return answer({ standings_list: list }, NOW);
        const standings = tables[request.id ?? 0];
        if (standings === undefined) throw new ProviderError('NOT_FOUND', request.operation, 'answered 404');
        return answer({ standings }, NOW + 1);
      },
    },
    { publish: async ([item], time) => void published.push([item as CatalogueItem, time]) },
  );
  return { leagues, requests, published };
}

test('skips a table that is gone, and refuses an answer that is no table', async () => {
  const list = [
    { id: 1, type_id: 2 },
    { id: 2, type_id: 2 },
  ];
  const gone = world(list, { 2: { object_id: 31 } });
  await gone.leagues.readSeason(31, signal);
  expect(gone.published.map(([{ id }]) => id)).toEqual(['2']);
  await expect(world(list, { 1: {} }).leagues.readSeason(31, signal)).rejects.toMatchObject({
    code: 'BAD_ANSWER',
  });
});

/** The rows of the REST contract over an api in this process; test/system/contract/damaged-views.test.ts has that of a process. */
import { beforeAll, expect, test } from 'vitest';
import { ApiInMemory } from '../../test/system/contract/in-memory.ts';
import { restRows } from '../../test/system/contract/rest-rows.ts';
import { contract, dataOf, serveBy } from '../../test/system/contract/served.ts';
import { NEVER_SET } from '../../test/system/contract/values.ts';

beforeAll(async () => serveBy(await ApiInMemory.start()));

restRows();

test('every field of the records had another value than its default in some answer', async () => {
  const tables = '/v2/standings?object_type=season&object_id=20&limit=500';
  const { standings_list } = await dataOf(tables);
  const more = [
    '/v2/events/2001',
    '/v2/sports/5',
    '/v2/stages',
    '/v2/feed',
    '/v2/events/1005/important-incidents',
  ];
  for (const { id } of standings_list) more.push(`/v2/standings/${id}`);
  for (const path of more) await contract().answer(path);
  expect(contract().seen.never).toEqual(Object.keys(NEVER_SET));
});

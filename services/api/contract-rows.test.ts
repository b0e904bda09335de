/** The rows of the REST contract over an api in this process; test/integration/api/serve.test.ts has that of a damaged view. */
import { beforeAll, expect, test } from 'vitest';
import { endpointRows } from '../../test/system/contract/endpoints.ts';
import { errorRows } from '../../test/system/contract/errors.ts';
import { limitRows } from '../../test/system/contract/limits.ts';
import { prose } from '../../test/system/contract/prose.ts';
import { rules } from '../../test/system/contract/rules.ts';
import { contract, dataOf, serveContract } from '../../test/system/contract/served.ts';
import { shootOutRows } from '../../test/system/contract/shoot-out.ts';
import { NEVER_SET } from '../../test/system/contract/values.ts';

beforeAll(() => serveContract());

for (const register of [shootOutRows, endpointRows, rules, errorRows, limitRows, prose]) register();

test('every field of the records had another value than its default in some answer', async () => {
  const tables = '/v2/standings?object_type=season&object_id=20&limit=500';
  const { standings_list } = await dataOf(tables);
  const more = ['events/2001', 'sports/5', 'stages', 'feed', 'events/1005/important-incidents'];
  for (const { id } of standings_list) more.push(`standings/${id}`);
  for (const path of more) await contract().answer(`/v2/${path}`);
  expect(contract().seen.never).toEqual(Object.keys(NEVER_SET));
});

test('messages and catalogues in other forms than the specified ones are answered in its types, with well-formed texts', async () => {
  await serveContract({ isOdd: true });
  const { standings_list: tables } = await dataOf('/v2/standings?object_type=season&object_id=20');
  const events = [1001, 1005, 2001, 2002, 3001, 3003].map((id) => `events/${id}`);
  const paths = [
    'sports areas languages statuses incidents standings-types?sport_id=5 sports/5 sports/1 competitions stages livescore',
    'feed?limit=500 feed/1005 events?season_id=20&limit=150',
    ...events,
    ...events.map((path) => `${path}/incidents`),
    ...tables.map(({ id }: { readonly id: number }) => `standings/${id}`),
  ].flatMap((some) => some.split(' '));
  const texts: string[] = [];
  const nulls = new Set<string>();
  const collect = (name: string, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    if (value === null) nulls.add(name);
    return value;
  };
  for (const path of paths) JSON.stringify(await dataOf(`/v2/${path}`), collect);
  for (const name of ['Team 101\ufffd', 'League\ufffd', 'Sport 0\ufffd']) expect(texts).toContain(name);
  expect(texts.filter((text) => !text.isWellFormed())).toEqual([]);
  // The provider's own client refuses a null in any other field.
  expect([...nulls].sort().join(' ')).toBe(
    'additional_info clock_time confirmation group latency parent_id participant_id played_time progress_id round_id ' +
      'stage_name_id subparticipant_id subparticipant_name team_connection theirs value winner_id x_pos',
  );
});

import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { ApiReplica, ClientCredentials } from '../../support/api.ts';
import { untilTrue } from '../../support/poll.ts';
import { DATASET } from '../../support/system.ts';

const SEASON = DATASET.competition.season.id;
const DAY = 86_400;

const LISTS = [
  '/v2/competitions?limit=500',
  '/v2/stages?limit=500',
  `/v2/events?season_id=${SEASON}&limit=150`,
  `/v2/events-simple?season_id=${SEASON}&limit=150`,
  '/v2/livescore?date_from=2018-06-14&date_to=2018-06-20&limit=150',
  '/v2/basic-livescore?timestamp=1',
  '/v2/feed',
  '/v2/feed?type=incident&important=yes',
  '/v2/feed?type=event',
];

const OF_EVENT = [
  '/v2/events/:id',
  '/v2/events/:id/incidents?limit=500&deleted=no',
  '/v2/events/:id/incidents?limit=500&deleted=yes',
  '/v2/events/:id/incidents?limit=500&updated=yes&sort_type=occurred_at&sort_order=desc',
  '/v2/events/:id/important-incidents',
  '/v2/feed/:id',
];

/** Expects that all replicas return the same data for everything that the first one lists. */
export async function expectSameAnswers(
  replicas: readonly ApiReplica[],
  client: ClientCredentials,
): Promise<void> {
  const [first] = replicas;
  if (first === undefined) throw new Error('there is no replica');
  const token = await first.token(client);
  const now = Math.floor(Date.now() / 1000);
  const ids = DATASET.matches.map(({ id }) => id);
  /**
   * Waits until all replicas return the same data for a path, and returns it: each replica reads the topics separately.
   */
  const agreed = async (path: string): Promise<Data> => {
    let wanted = await dataOf(first, path, token);
    for (const replica of replicas) {
      let found = await dataOf(replica, path, token);
      await untilTrue(`${replica.url} gives the same of ${path}`, async () => {
        if (isDeepStrictEqual(found, wanted)) return true;
        [found, wanted] = await Promise.all([dataOf(replica, path, token), dataOf(first, path, token)]);
        return false;
      }).catch(() => {});
      expect(found, path).toEqual(wanted);
    }
    return wanted;
  };
  const known = await agreed(`/v2/events?season_id=${SEASON}&limit=150`);
  const matches = ids.filter((id) => known.text.includes(`"id":${id},`));
  const paths = [
    ...LISTS.map((path) =>
      path === '/v2/feed' ? `${path}?timestamp=${now - DAY}&timestamp_to=${now}` : path,
    ),
    ...matches.flatMap((id) => OF_EVENT.map((path) => path.replace(':id', String(id)))),
  ];
  expect(matches.length).toBeGreaterThan(0);
  for (const path of paths) await agreed(path);
}

type Data = { readonly total: unknown; readonly text: string };

async function dataOf(replica: ApiReplica, path: string, token: string): Promise<Data> {
  const { data, method } = await replica.api(`${path}${path.includes('?') ? '&' : '?'}token=${token}`);
  return { total: method.total_items, text: JSON.stringify(data) };
}

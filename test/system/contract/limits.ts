/** The rows of the table of limits in the REST part of the spec. */
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '#contract/rest/operations.ts';
import { expectParameters } from './reading.ts';
import { contract } from './served.ts';

const CATALOGUES =
  'sports areas languages statuses incidents standings-types standings competitions stages events/1005/incidents'
    .split(' ')
    .map((path) => `/v2/${path}`);
const LISTS = ['/v2/events', '/v2/events-simple', '/v2/livescore'];

const NEVER = ['', ...'0 1 4 6 20 149 151 200 501 1000 -5 5.0 05 5e0 5,10 ten'.split(' ')];

/** Expects a path to accept these limits, and to refuse the others. */
async function takes(path: string, limits: readonly number[], refused: readonly string[]): Promise<void> {
  for (const limit of limits) {
    expectParameters(await contract().answer(`${path}?limit=${limit}`), { limit: String(limit) });
  }
  for (const limit of [...refused, '5&limit=10']) {
    await contract().refuses(`${path}?limit=${limit}`, 'INVALID_PARAMETER');
  }
  expectParameters(await contract().answer(path), { limit: String(limits.at(-1)) });
}

/**
 * Registers a test for each row. Those of the token exchange, of `/mcp`, of deliveries to customers and of the webhook
 * test belong to the services of these; the validity of signatures is tested in test/integration/webhook-receiver/receiver.test.ts.
 */
export function limitRows(): void {
  describe('Limits', () => {
    test('limit enum, catalogues: 5, 10, 25, 50, 100, 150, 250, 500: e.g. /v2/sports', async () => {
      for (const path of CATALOGUES) await takes(path, [5, 10, 25, 50, 100, 150, 250, 500], NEVER);
    });

    test('limit enum, lists: 5, 10, 25, 50, 100, 150: /v2/events; /v2/events-simple and /v2/livescore stop at 150', async () => {
      for (const path of LISTS) await takes(path, [5, 10, 25, 50, 100, 150], [...NEVER, '250', '500']);
    });

    test('every endpoint with a limit is in one of the two rows', () => {
      const paged = OPERATIONS.filter(({ params }) => 'limit' in params.shape).map(({ path }) =>
        path.replace('{id}', '1005'),
      );
      expect(paged.toSorted()).toEqual([...CATALOGUES, ...LISTS].toSorted());
    });
  });
}

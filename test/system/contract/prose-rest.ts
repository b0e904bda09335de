/** The prose of the specification about REST: methods, tokens, errors, versions. */
import { describe, expect, test } from 'vitest';
import { ALL_OPERATIONS } from '#contract/rest/operations.ts';
import { contract } from './served.ts';

/** A path of each operation. */
const PATHS = ALL_OPERATIONS.map(({ name, path, open }) => ({
  open,
  path:
    path.replace('{id}', path.startsWith('/v2/sports') ? '5' : '1005') +
    (name === 'basic-livescore.index' ? '?timestamp=1' : ''),
}));

/** Registers a test for each sentence but that of logs and pages (running-rows.ts). */
export function restProse(): void {
  describe('Prose of REST', () => {
    test('all are GET, with the token in the query', async () => {
      const { api, everything } = contract();
      expect(PATHS.filter(({ open }) => open).map(({ path }) => path)).toEqual([
        '/v2/oauth',
        '/v2/sports',
        '/v2/areas',
        '/v2/languages',
      ]);
      for (const { path, open } of PATHS) {
        for (const method of ['POST', 'PUT', 'DELETE'])
          expect((await api.get(path, { method })).status).toBe(405);
        if (open) continue;
        const headers = { authorization: `Bearer ${everything.token}`, token: everything.token };
        expect([path, (await api.get(path, { headers })).status]).toEqual([path, 401]);
        const url = new URL(api.url + path);
        url.searchParams.set('token', everything.token);
        expect([path, (await api.get(url.pathname + url.search)).status]).not.toEqual([path, 401]);
      }
    });

    test('an error has a message and a code, and names no parameter', async () => {
      const refuse = contract().refuses.bind(contract());
      const invalid = [
        '/v2/sports?limit=7',
        '/v2/sports?page=0',
        '/v2/standings?object_id=20',
        '/v2/basic-livescore',
        '/v2/events?date_from=tomorrow',
        '/v2/events/1005/incidents?deleted=maybe',
      ];
      const errors = [];
      for (const path of invalid) errors.push(await refuse(path, 'INVALID_PARAMETER'));
      expect(new Set(errors.map((error) => JSON.stringify(error)))).toEqual(
        new Set([JSON.stringify({ message: 'Invalid parameter', internal_code: 13 })]),
      );
      await refuse('/v2/statuses', 'UNAUTHORIZED', null);
      await refuse('/v2/events/2001', 'FORBIDDEN', contract().narrow.token);
      await refuse('/v2/events/999999', 'NOT_FOUND');
    });

    test('paths begin with the major version, and api.ver is the full one', async () => {
      for (const { path } of PATHS) expect(path).toMatch(/^\/v2\//);
      for (const path of ['/sports', '/v1/sports', '/v3/sports', '/api/v2/sports'])
        expect([path, (await contract().api.get(path)).status]).toEqual([path, 404]);
      const { ver } = await contract().answer('/v2/sports');
      expect(ver).toMatch(/^\d+\.\d+\.\d+$/);
      for (const { path } of PATHS) {
        const { api } = JSON.parse(await (await contract().api.get(path)).text());
        expect([path, api.ver]).toEqual([path, ver]);
      }
    });
  });
}

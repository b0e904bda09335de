/** The prose of the specification about REST: methods, tokens, errors, versions. */
import { describe, expect, test } from 'vitest';
import { ALL_OPERATIONS } from '#contract/rest/operations.ts';
import { startApi } from '../../support/api.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { contract } from './served.ts';

/** A path of each operation. */
const PATHS = ALL_OPERATIONS.map(({ name, path, open }) => ({
  open,
  path:
    path.replace('{id}', path.startsWith('/v2/sports') ? '5' : '1005') +
    (name === 'basic-livescore.index' ? '?timestamp=1' : ''),
}));

/** Registers a test for each sentence. */
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
        const url = new URL(api.url + path);
        for (const method of ['POST', 'PUT', 'DELETE'])
          expect((await fetch(url, { method })).status).toBe(405);
        if (open) continue;
        const headers = { authorization: `Bearer ${everything.token}`, token: everything.token };
        expect([path, (await fetch(url, { headers })).status]).toEqual([path, 401]);
        url.searchParams.set('token', everything.token);
        expect([path, (await fetch(url)).status]).not.toEqual([path, 401]);
      }
    });

    test('the token is in the query and in next_page, on no page and in no log', async () => {
      const { place, everything } = contract();
      const api = await startApi(place, temporaryFolder(), { LOG_LEVEL: 'trace', API_BOARD: 'on' });
      const path = (token: string) => `/v2/events?season_id=20&limit=5&token=${token}`;
      const { method } = await api.api(path(everything.token));
      expect(new URL(method.next_page).searchParams.get('token')).toBe(everything.token);
      const forged = `${everything.token.slice(0, -1)}!`;
      await api.api(path(forged), 401);
      await api.api(`/v2/events/999999?token=${everything.token}`, 404);
      await api.api(`/v2/events?limit=7&token=${everything.token}`, 400);
      for (const page of ['/', '/docs']) {
        const headers = { accept: 'text/html' };
        const html = await (await fetch(`${api.url}${page}?token=${everything.token}`, { headers })).text();
        expect(html).toContain('<html');
        expect(html).not.toContain(everything.token);
      }
      const log = api.service.lines.join('\n');
      expect(log).toContain('listening');
      for (const secret of [everything.token, forged, everything.secret]) expect(log).not.toContain(secret);
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

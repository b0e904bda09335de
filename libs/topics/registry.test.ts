import type { IncomingHttpHeaders } from 'node:http';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { serve } from '../../test/support/listen.ts';
import { Registry } from './registry.ts';

const PASSWORD = 's3cret/with:signs';

test('sends user and password of the address in a header, and shows them nowhere else', async () => {
  const requests: IncomingHttpHeaders[] = [];
  const { port } = new URL(
    await serve(({ headers, method, url = '' }, response) => {
      requests.push(headers);
      response.setHeader('content-type', 'application/json');
      // The rule exists; the schema is not there, and is rejected.
      response.statusCode = method === 'GET' ? 200 : url.endsWith('/versions') ? 401 : 404;
      response.end(JSON.stringify({ compatibilityLevel: 'BACKWARD', error_code: 401, message: 'no' }));
    }),
  );
  const url = `http://ann:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/apis/ccompat/v7`;
  const failed = await new Registry({ url, prefix: '', waitMs: 0 })
    .codec('match-state')
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Error);
  expect(requests.length).toBeGreaterThan(1);
  const header = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`;
  for (const { authorization } of requests) expect(authorization).toBe(header);
  const shown = inspect(failed, { depth: 10, showHidden: true });
  for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), header]) expect(shown).not.toContain(secret);
});

test('shows no password when nothing answers', async () => {
  const url = 'http://ann:hidden@127.0.0.1:1/apis/ccompat/v7';
  const failing = new Registry({ url, prefix: '', waitMs: 0 }).codec('match-state');
  await expect(failing).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
  const shown = inspect(await failing.catch((error: unknown) => error), { depth: 10 });
  expect(shown).toContain('http://127.0.0.1:1/apis/ccompat/v7');
  expect(shown).not.toContain('hidden');
});

test('says why nothing answers, whether it registers or reads', async () => {
  const registry = new Registry({ url: 'http://127.0.0.1:1', prefix: '', waitMs: 0 });
  const problem = { code: 'REGISTRY_UNAVAILABLE', message: expect.stringContaining('connect ECONNREFUSED') };
  await expect(registry.codec('match-state')).rejects.toMatchObject(problem);
  await expect(registry.schemaState('match-state')).rejects.toMatchObject(problem);
});

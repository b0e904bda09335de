import { expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { type ApiReplica, clients, credentialsOf, startApi } from '../../support/api.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const connection = backbone();

const form = (fields: Readonly<Record<string, string>> = {}) => ({
  method: 'POST',
  redirect: 'manual' as const,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

async function signIn({ url }: ApiReplica, id: string, secret: string): Promise<string> {
  return until('it may sign in', async () => {
    const response = await fetch(`${url}/sign-in`, form({ client_id: id, secret_key: secret }));
    return response.status === 303 ? response.headers.get('set-cookie')?.split(';')[0] : undefined;
  });
}

const statusWith = async ({ url }: ApiReplica, cookie: string): Promise<number> =>
  (await fetch(url, { headers: { cookie } })).status;

test('signing out ends a copied cookie at every replica, its open boards, and after a restart too', async () => {
  await Pipeline.create({ ...connection, services: ['api'] });
  const folder = temporaryFolder();
  const first = await startApi(connection, folder);
  const second = await startApi(connection, temporaryFolder());
  const { id, secret } = credentialsOf(await clients(connection, 'add --name watcher'));
  const cookie = await signIn(first, id, secret);
  // Sessions of one client that begin in the same second have the same text.
  const colleague = await until('another session', async () => {
    const other = await signIn(first, id, secret);
    return other === cookie ? undefined : other;
  });
  for (const replica of [first, second])
    await untilTrue('the copy is accepted', async () => (await statusWith(replica, cookie)) === 200);
  const board = await fetch(`${second.url}/board/events`, { headers: { cookie } });
  expect(board.status).toBe(200);

  const { headers, ...rest } = form();
  const out = await fetch(`${first.url}/sign-out`, { ...rest, headers: { ...headers, cookie } });
  expect([out.status, out.headers.get('set-cookie')]).toEqual([303, expect.stringContaining('Max-Age=0')]);
  expect(await statusWith(first, cookie)).toBe(401);
  await untilTrue('the other replica refuses it', async () => (await statusWith(second, cookie)) === 401);
  // The stream ends once the session is over.
  const reader = board.body?.getReader();
  await untilTrue('the open board ends', async () => (await reader?.read())?.done === true);
  expect(await statusWith(second, colleague)).toBe(200);

  await first.service.kill();
  const again = await startApi(connection, folder);
  await untilTrue('it knows the client', async () => (await statusWith(again, colleague)) === 200);
  expect(await statusWith(again, cookie)).toBe(401);
});

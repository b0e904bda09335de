import { expect, test } from 'vitest';
import { ClientDirectory } from '#clients/directory.ts';
import { newSecret, verifySecret } from '#clients/secret.ts';
import { backbone } from '../../setup/backbone.ts';
import { type ApiReplica, startApi, temporaryFolder } from '../../support/api.ts';
import { stretchedHash } from '../../support/former-secret.ts';
import { quietLog } from '../../support/log.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { until, untilTrue } from '../../support/poll.ts';

const place = backbone();
const directory = ClientDirectory.open({ ...place, log: quietLog });

/** A client as a former release has made it. */
async function formerClient(id: number): Promise<string> {
  const secret = newSecret();
  await directory.edit(id, () => ({
    client_id: id,
    name: 'former',
    active: true,
    secret_hash: stretchedHash(secret),
    operations: null,
    competitions: null,
    webhooks: [],
  }));
  return secret;
}

const recordOf = async (id: number) => (await directory.list()).find(({ client_id }) => client_id === id);

const statusOf = async ({ url }: ApiReplica, id: number, secret: string): Promise<number> =>
  (await fetch(`${url}/v2/oauth?client_id=${id}&secret_key=${secret}`)).status;

async function upgraded(id: number): Promise<NonNullable<Awaited<ReturnType<typeof recordOf>>>> {
  return until('the record has the keyed hash', async () => {
    const record = await recordOf(id);
    return record?.secret_hash.startsWith('hmac-sha256$') ? record : undefined;
  });
}

test('the secret of a former release is stored as a keyed hash after one right use, by two replicas at once', async () => {
  await Pipeline.create(place);
  const secrets = [await formerClient(1), await formerClient(2), await formerClient(3)];
  const [secret = '', ofSession = '', rotated = ''] = secrets;
  const replicas = [await startApi(place, temporaryFolder()), await startApi(place, temporaryFolder())];

  expect(await Promise.all(replicas.map((one) => statusOf(one, 1, 'wrong')))).toEqual([401, 401]);
  expect((await recordOf(1))?.secret_hash).toMatch(/^scrypt\$/);
  expect(await Promise.all(replicas.map((one) => statusOf(one, 1, secret)))).toEqual([200, 200]);
  const record = await upgraded(1);
  expect(verifySecret(secret, record.secret_hash)).toBe(true);
  // Both have heard of it, and the second has left it as it is.
  await untilTrue('both are done', () =>
    replicas.every(({ service }) =>
      service.lines.some((line) => line.includes('former release is upgraded')),
    ),
  );
  expect(await recordOf(1)).toEqual({ ...record, version: 2 });
  expect(await Promise.all(replicas.map((one) => statusOf(one, 1, secret)))).toEqual([200, 200]);

  // The session that the sign-in opens lasts beyond the upgrade that it causes.
  const [first] = replicas as [ApiReplica];
  const signedIn = await fetch(`${first.url}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: '2', secret_key: ofSession }).toString(),
  });
  expect(signedIn.status).toBe(303);
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  await upgraded(2);
  for (const { url } of replicas)
    await untilTrue(
      'the session holds',
      async () => (await fetch(url, { headers: { cookie } })).status === 200,
    );
  expect((await fetch(first.url, { headers: { cookie } })).status).toBe(200);

  // A secret that is rotated while it is upgraded stays rotated.
  const other = newSecret();
  const rotatedHash = stretchedHash(other);
  await Promise.all([
    statusOf(first, 3, rotated),
    directory.edit(3, (client) => ({ ...(client as NonNullable<typeof client>), secret_hash: rotatedHash })),
  ]);
  await untilTrue('the rotated secret counts', async () => (await statusOf(first, 3, other)) === 200);
  expect(await statusOf(first, 3, rotated)).toBe(401);
  expect(verifySecret(other, (await upgraded(3)).secret_hash)).toBe(true);

  // From the topic alone: another process checks it cheaply.
  const third = await startApi(place, temporaryFolder());
  expect(await statusOf(third, 1, secret)).toBe(200);
});

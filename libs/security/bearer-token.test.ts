import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { bearerToken } from './bearer-token.ts';

/** Starts an authorization server that answers with `answer`. Returns its endpoint and the received requests. */
async function issuer(answer: () => { status: number; body: object }) {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    requests.push(`${request.headers.authorization} ${await text(request)}`);
    const { status, body } = answer();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const endpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    clientId: 'me:1',
    clientSecret: 'hidden',
    scope: 'kafka',
  };
  return { requests, endpoint };
}

test('requests a token once while it is valid', async () => {
  let issued = 0;
  const { requests, endpoint } = await issuer(() => {
    issued += 1;
    return {
      status: 200,
      body: { access_token: `token-${issued}`, expires_in: issued === 1 ? 3600 : 0.001 },
    };
  });
  expect(await bearerToken({ endpoint })).toBe('token-1');
  expect(await bearerToken({ endpoint })).toBe('token-1');
  const credentials = Buffer.from('me%3A1:hidden').toString('base64');
  expect(requests).toEqual([`Basic ${credentials} grant_type=client_credentials&scope=kafka`]);
  const other = { endpoint: { ...endpoint, scope: null } };
  expect(await bearerToken(other)).toBe('token-2');
  await new Promise((resolve) => setTimeout(resolve, 2));
  expect(await bearerToken(other)).toBe('token-3');
});

test('names the refused client, and neither secret nor answer', async () => {
  const { endpoint } = await issuer(() => ({ status: 401, body: { error: 'hidden' } }));
  const refused = await bearerToken({ endpoint }).catch((error: Error) => error);
  expect(refused).toMatchObject({
    code: 'TOKEN_REFUSED',
    message: expect.stringContaining('client me:1: status 401'),
  });
  expect(String(refused)).not.toContain('hidden');
  await expect(bearerToken({ endpoint: { ...endpoint, url: 'http://127.0.0.1:1/' } })).rejects.toMatchObject({
    code: 'TOKEN_ENDPOINT_UNREACHABLE',
  });
});

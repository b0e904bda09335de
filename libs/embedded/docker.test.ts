import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { engineAddresses, findEngine } from './docker.ts';

let folder: string;
let server: Server | undefined;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  server?.close();
});

/** Starts a server that answers a ping as an engine does, with this status. */
async function answering(where: string | number, status: number): Promise<Server> {
  server = createServer((request, response) => {
    response.statusCode = request.url === '/_ping' ? status : 404;
    response.end('OK');
  });
  if (typeof where === 'string') server.listen(where);
  else server.listen(where, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test('tries DOCKER_HOST, else the default sockets', () => {
  expect(engineAddresses({ DOCKER_HOST: 'tcp://engine:2375', HOME: '/home/me' })).toEqual([
    'tcp://engine:2375',
  ]);
  expect(engineAddresses({ HOME: '/home/me', XDG_RUNTIME_DIR: '/run/user/1' })).toEqual([
    'unix:///var/run/docker.sock',
    'unix:///home/me/.docker/run/docker.sock',
    'unix:///run/user/1/docker.sock',
  ]);
});

test('finds an engine at a socket', async () => {
  const socket = join(folder, 'docker.sock');
  await answering(socket, 200);
  const address = `unix://${socket}`;
  expect(await findEngine({ DOCKER_HOST: address })).toEqual({ address, local: true });
});

test('finds an engine at a port', async () => {
  const { port } = (await answering(0, 200)).address() as AddressInfo;
  const address = `tcp://127.0.0.1:${port}`;
  expect(await findEngine({ DOCKER_HOST: address })).toEqual({ address, local: true });
});

test('finds none without an answer, or with the answer of another server', async () => {
  expect(await findEngine({ DOCKER_HOST: `unix://${join(folder, 'none.sock')}` })).toBeUndefined();
  expect(await findEngine({ DOCKER_HOST: 'ssh://me@elsewhere' })).toBeUndefined();
  expect(await findEngine({ DOCKER_HOST: 'nonsense' })).toBeUndefined();
  const { port } = (await answering(0, 503)).address() as AddressInfo;
  expect(await findEngine({ DOCKER_HOST: `tcp://127.0.0.1:${port}` })).toBeUndefined();
});

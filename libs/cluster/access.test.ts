import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { readyClusterId } from './access.ts';

test('finds no ready cluster where a server hangs up or nothing listens', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await readyClusterId([address])).toBeNull();
  server.close();
  await once(server, 'close');
  expect(await readyClusterId([address])).toBeNull();
});

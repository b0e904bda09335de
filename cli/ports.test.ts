import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isFree, portFor } from './ports.ts';

const HOST = '127.0.0.1';

test('returns for 0 a port outside the ephemeral range, which stays free until a later start', async () => {
  for (let n = 0; n < 20; n += 1) {
    const port = await portFor(0, 'API_PORT', HOST);
    expect(port).toBeLessThan(32_768);
    expect(await isFree(port, HOST)).toBe(true);
  }
});

test('rejects a port in use, and names the setting to change', async () => {
  const server = createServer().listen(0, HOST);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  expect(await isFree(port, HOST)).toBe(false);
  await expect(portFor(port, 'API_PORT', HOST)).rejects.toThrow(`port ${port} is in use: set API_PORT`);
});

test('rejects an address of another machine', async () => {
  await expect(portFor(0, 'API_PORT', '192.0.2.1')).rejects.toMatchObject({ code: 'ADDRESS_UNKNOWN' });
});

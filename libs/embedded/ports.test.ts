import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort, HOST, isFree, requireFree } from './ports.ts';

test('returns a free port below those of outgoing connections', async () => {
  const port = await freePort();
  expect(port).toBeGreaterThanOrEqual(15_000);
  expect(port).toBeLessThan(32_768);
  const server = createServer().listen(port, HOST);
  await once(server, 'listening');
  expect(await isFree(port)).toBe(false);
  expect(await freePort(port)).not.toBe(port);
  await expect(requireFree(port)).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  server.close();
  await once(server, 'close');
  expect(await freePort(port)).toBe(port);
});

test('uses the first preferred port that is free', async () => {
  const busy = createServer().listen(await freePort(), HOST);
  await once(busy, 'listening');
  const { port: taken } = busy.address() as { port: number };
  const next = await freePort();
  const port = await freePort(undefined, taken, next);
  busy.close();
  expect(port).toBe(next);
});

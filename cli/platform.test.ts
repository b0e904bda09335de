import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isFree, portFor } from './platform.ts';

test('a port for 0 is none that outgoing connections are given: what is started later still finds it free', async () => {
  for (let n = 0; n < 20; n += 1) {
    const port = await portFor(0, 'API_PORT');
    expect(port).toBeLessThan(32_768);
    expect(await isFree(port)).toBe(true);
  }
});

test('a port that something else has is refused, with the setting to change', async () => {
  const server = createServer().listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  expect(await isFree(port)).toBe(false);
  await expect(portFor(port, 'API_PORT')).rejects.toThrow(
    `port ${port} is in use: set API_PORT to another one`,
  );
});

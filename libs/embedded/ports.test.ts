import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort, HOST, isFree, requireFree, startOnFreePort } from './ports.ts';
import { EmbeddedError } from './settings.ts';

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

const taken = new EmbeddedError('PORT_IN_USE', 'taken');

test('retries with another port when another process took the first', async () => {
  const tried: number[] = [];
  const preferred = await freePort();
  const candidates = [undefined, preferred, await freePort()];
  const port = await startOnFreePort(undefined, candidates, async (candidate) => {
    tried.push(candidate);
    if (tried.length < 3) throw taken;
    return candidate;
  });
  expect(tried[0]).toBe(preferred);
  expect(new Set(tried).size).toBe(3);
  expect(port).toBe(tried[2]);
});

test('tries a fixed port once, others several times, and does not retry other errors', async () => {
  let tries = 0;
  const fail = (error: Error) => async () => {
    tries++;
    throw error;
  };
  await expect(startOnFreePort(4711, [], fail(taken))).rejects.toBe(taken);
  expect(tries).toBe(1);
  await expect(startOnFreePort(undefined, [], fail(taken))).rejects.toBe(taken);
  expect(tries).toBe(6);
  const other = new EmbeddedError('START_FAILED', 'other');
  await expect(startOnFreePort(undefined, [], fail(other))).rejects.toBe(other);
  expect(tries).toBe(7);
});

test('uses the first preferred port that is free', async () => {
  const busy = createServer().listen(await freePort(), HOST);
  await once(busy, 'listening');
  const { port: taken } = busy.address() as { port: number };
  const next = await freePort();
  const port = await startOnFreePort(undefined, [taken, next], async (candidate) => candidate);
  busy.close();
  expect(port).toBe(next);
});

import { type AddressInfo, connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createLogger } from '#service/logger.ts';
import { createApp } from './app.ts';
import { Tally } from './tally.ts';

const LIMIT = 1_000;

function open(store: () => Promise<void> = async () => {}): FastifyInstance {
  const app = createApp({
    ...{ secrets: ['0'.repeat(32)], bodyLimit: LIMIT, patienceMs: 1_000, store },
    tally: new Tally(),
    log: createLogger({ name: 'receiver', level: 'silent' }),
  });
  onTestFinished(() => app.close());
  return app;
}

it.each([
  [404, '/nowhere'],
  [404, '/'],
  [405, '/webhook'],
  [400, '/%zz'],
  [400, '/webhook%'],
])('answers %d to a GET of %s, and repeats nothing of the address', async (status, path) => {
  const { statusCode, headers, body } = await open().inject(`${path}?token=hush`);
  expect([statusCode, headers['content-type']]).toEqual([status, 'text/plain; charset=utf-8']);
  expect(body).not.toMatch(/hush|zz|nowhere|webhook/);
});

const START = 'POST /webhook HTTP/1.1\r\nhost: x\r\n';
const HEAD = `${START}content-length: ${LIMIT}\r\n\r\n`;

it.each([
  ['a head that does not end', START, ''],
  ['a body that does not come', HEAD, ''],
  ['a body that comes a byte at a time', HEAD, '['],
])('answers 408 to %s, and stores nothing of it', async (_what, beginning, then) => {
  const store = vi.fn(async () => {});
  const app = open(store);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = '';
  const socket = connect(port, '127.0.0.1', () => socket.write(beginning));
  const drip = setInterval(() => socket.write(then), 50);
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  socket.on('error', () => {}).on('close', () => resolve(received));
  const answer = await promise.finally(() => clearInterval(drip));
  const text = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  expect([answer.slice(0, 12), text]).toEqual(['HTTP/1.1 408', 'Too slow.']);
  expect(store).not.toHaveBeenCalled();
});

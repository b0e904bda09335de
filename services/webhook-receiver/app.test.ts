import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '#service/logger.ts';
import { createApp } from './app.ts';
import { Tally } from './tally.ts';

it.each([
  [404, '/nowhere'],
  [404, '/'],
  [405, '/webhook'],
  [400, '/%zz'],
  [400, '/webhook%'],
])('answers %d to a GET of %s, and repeats nothing of the address', async (status, path) => {
  const app = createApp({
    ...{ secrets: ['0'.repeat(32)], bodyLimit: 1_000, patienceMs: 1_000, store: async () => {} },
    tally: new Tally(),
    log: createLogger({ name: 'receiver', level: 'silent' }),
  });
  onTestFinished(() => app.close());
  const { statusCode, headers, body } = await app.inject(`${path}?token=hush`);
  expect([statusCode, headers['content-type']]).toEqual([status, 'text/plain; charset=utf-8']);
  expect(body).not.toMatch(/hush|zz|nowhere|webhook/);
});

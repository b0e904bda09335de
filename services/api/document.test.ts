import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { documentRoutes } from './document.ts';

/** Returns the addresses in the commands of `/docs`. */
async function addressesAt(host: string, publicUrl?: string): Promise<string[]> {
  const app = fastify();
  onTestFinished(() => app.close());
  await app.register(documentRoutes, { version: '1.0.0', publicUrl, board: true });
  const { body } = await app.inject({ url: '/docs', headers: { host } });
  return [...new Set([...body.matchAll(/https?:\/\/[^/"'\s<&]+/g)].map(([address]) => address))];
}

test('shows the address by which the reader came, or the public one', async () => {
  expect(await addressesAt('sport.example:9000')).toEqual(['http://sport.example:9000']);
  expect(await addressesAt('10.0.0.1', 'https://api.example/')).toEqual(['https://api.example']);
  expect(await addressesAt('"><script>')).toEqual(['http://localhost:8081']);
});

/** How every service waits at its start for a broker and a registry that do not answer. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { requireAccess } from './require-access.ts';

let warnings: string[];
let stopping: AbortController;
beforeEach(() => {
  warnings = [];
  stopping = new AbortController();
});

/** Opens a port that accepts connections and never answers. Returns its address. */
async function silentPort(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function access(config: { KAFKA_BROKERS?: string[]; SCHEMA_REGISTRY_URL?: string }, waitMs: number) {
  const logger = { warn: (text: string) => void warnings.push(text) } as never;
  const options = { logger, signal: stopping.signal, warnAfterMs: 50, waitMs };
  return requireAccess(['fixture'], { LOG_LEVEL: 'info', ...config }, options);
}

describe.each([
  ['that refuses connections', async () => '127.0.0.1:1'],
  ['that accepts and never answers', silentPort],
])('an address %s', (_, address) => {
  test('of brokers is named soon, and again when the time is up', async () => {
    const broker = await address();
    await expect(access({ KAFKA_BROKERS: [broker] }, 300)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: `no broker answers at ${broker} within 0.3 s`,
    });
    expect(warnings).toEqual([`no broker answers at ${broker}: waiting for 0.3 s`]);
  });

  test('of a registry is named soon, without its password, and again when the time is up', async () => {
    const registry = await address();
    const waiting = access({ SCHEMA_REGISTRY_URL: `http://ann:hidden@${registry}` }, 300);
    await expect(waiting).rejects.toMatchObject({
      code: 'REGISTRY_UNAVAILABLE',
      message: expect.stringContaining(`no schema registry answers at http://${registry} within 0.3 s`),
    });
    expect(warnings).toEqual([`no schema registry answers at http://${registry}: waiting for 0.3 s`]);
  });

  test('does not delay a stop', async () => {
    const waiting = access({ KAFKA_BROKERS: [await address()] }, 60_000);
    await expect.poll(() => warnings).toHaveLength(1);
    stopping.abort();
    await waiting;
  });
});

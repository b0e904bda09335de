import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { EmbeddedError } from './settings.ts';

/** The address that all embedded servers listen on: only this machine reaches it. */
export const HOST = '127.0.0.1';

/** Below the system's range for outgoing connections, where a client that retries a dead broker may connect to itself and hold its port. */
const LOWEST = 15_000;
const HIGHEST = 32_000;

/** Whether a server can listen on the port now. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: HOST, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Throws PORT_IN_USE when no server can listen on the port now. */
export async function requireFree(port: number): Promise<void> {
  if (await isFree(port)) return;
  throw new EmbeddedError(
    'PORT_IN_USE',
    `port ${port} is in use by another process: stop that process or use another port`,
  );
}

/** Returns a port that is free now, the first of `preferred` that is; another process may take it before its use. Throws PORT_IN_USE. */
export async function freePort(
  preferred: number | null | undefined | readonly (number | undefined)[] = [],
  taken: ReadonlySet<number> = new Set(),
): Promise<number> {
  const isOurs = async (port: number) => !taken.has(port) && (await isFree(port));
  for (const port of [preferred].flat()) if (typeof port === 'number' && (await isOurs(port))) return port;
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isOurs(port)) return port;
  }
  throw new EmbeddedError('PORT_IN_USE', `no free port found between ${LOWEST} and ${HIGHEST}`);
}

const ATTEMPTS = 5;

/** Calls `start` with the fixed port, else a free one, preferred ones first; again with another if it was taken meanwhile. */
export async function startOnFreePort<T>(
  fixed: number | undefined,
  preferred: readonly (number | undefined)[],
  start: (port: number) => Promise<T>,
): Promise<T> {
  if (fixed !== undefined) return await start(fixed);
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort(attempt === 1 ? preferred : []));
    } catch (error) {
      const taken = error instanceof EmbeddedError && error.code === 'PORT_IN_USE';
      if (!taken || attempt === ATTEMPTS) throw error;
    }
  }
}

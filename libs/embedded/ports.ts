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
export async function freePort(...preferred: readonly (number | undefined)[]): Promise<number> {
  const random = Array.from({ length: 200 }, () => randomInt(LOWEST, HIGHEST));
  for (const port of [...preferred, ...random]) if (port !== undefined && (await isFree(port))) return port;
  throw new EmbeddedError('PORT_IN_USE', `no free port found between ${LOWEST} and ${HIGHEST}`);
}

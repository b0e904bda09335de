import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { EmbeddedError } from './errors.ts';

/** The address that all embedded servers listen on: only this machine reaches it. */
export const HOST = '127.0.0.1';

/**
 * The range of free ports. It is below the system's range for outgoing connections (from 32768 on Linux). While a broker is
 * down, a client that keeps connecting to a port of that range can get the same port itself, connect to itself, and so
 * prevent the broker's restart.
 */
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

/**
 * Returns a port that is free now and not one of `taken`; `preferred` if it is. Another process may take it before its use, so
 * a caller that starts a server must be ready to retry. Throws PORT_IN_USE when it finds none.
 */
export async function freePort(preferred?: number, taken: ReadonlySet<number> = new Set()): Promise<number> {
  const isOurs = async (port: number) => !taken.has(port) && (await isFree(port));
  if (preferred !== undefined && (await isOurs(preferred))) return preferred;
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isOurs(port)) return port;
  }
  throw new EmbeddedError('PORT_IN_USE', `no free port found between ${LOWEST} and ${HIGHEST}`);
}

const ATTEMPTS = 5;

/**
 * Calls `start` with the fixed port, else the first free preferred port, else any free port. Retries with another port when
 * another process took the port first. Throws PORT_IN_USE for a fixed port that is taken.
 */
export async function startOnFreePort<T>(
  fixed: number | undefined,
  preferred: readonly (number | undefined)[],
  start: (port: number) => Promise<T>,
): Promise<T> {
  if (fixed !== undefined) return await start(fixed);
  for (let attempt = 1; ; attempt++) {
    try {
      return await start((attempt === 1 ? await firstFree(preferred) : undefined) ?? (await freePort()));
    } catch (error) {
      const taken = error instanceof EmbeddedError && error.code === 'PORT_IN_USE';
      if (!taken || attempt === ATTEMPTS) throw error;
    }
  }
}

async function firstFree(ports: readonly (number | undefined)[]): Promise<number | undefined> {
  for (const port of ports) if (port !== undefined && (await isFree(port))) return port;
  return undefined;
}

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { EmbeddedError } from './errors.ts';

/** All servers started here listen on this machine only. */
export const HOST = '127.0.0.1';

/**
 * Free ports are allocated from here, not from the system's range for outgoing connections (from 32768 on Linux): while a
 * broker is down, a client that keeps connecting to a port of that range can get the same port as its own, connect to
 * itself, and keep the broker from restarting.
 */
const LOWEST = 15_000;
const HIGHEST = 32_000;

/** True when the port can be listened on now. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: HOST, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Throws PORT_IN_USE when the port cannot be listened on now. */
export async function requireFree(port: number): Promise<void> {
  if (await isFree(port)) return;
  throw new EmbeddedError(
    'PORT_IN_USE',
    `port ${port} is in use by another process: end that one or take another port`,
  );
}

/**
 * A port that is free now and not one of `taken`: `preferred` where it is free. Another process may take it before it is
 * used: a caller that starts a server must be ready to retry.
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
 * Starts something on a port: the fixed one, else the first preferred one that is free, else any; retries on another
 * port where its own was taken first. A taken fixed port is an error (PORT_IN_USE).
 */
export async function untilPortHolds<T>(
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

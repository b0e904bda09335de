import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { EmbeddedError } from './errors.ts';

/** Everything started here listens on this machine only. */
export const HOST = '127.0.0.1';

/**
 * Free ports are taken from here and not from the range the system gives to outgoing connections
 * (from 32768 on Linux): while a broker is down, a client that keeps connecting to a port of that range
 * can be given the very same port as its own, connect to itself, and keep the broker from coming back.
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
 * A port that is free now and not one of `taken`. `preferred` is given back when it is free.
 * Someone else may take it before it is used: whoever starts a server must be ready to ask again.
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
 * Starts something on a port: the fixed one, else the first of the preferred ones that is free, else any; and again on
 * another while it finds its port taken by someone who was faster. A fixed port that is taken is an error (PORT_IN_USE).
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

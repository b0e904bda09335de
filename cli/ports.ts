/** Checks the ports that a platform listens on. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from '#embedded/ports.ts';
import { CommandError } from './command.ts';

export async function isFree(wanted: number, host: string): Promise<boolean> {
  return portFor(wanted, '', host).then(
    () => true,
    () => false,
  );
}

/**
 * Returns the port once it could be listened on; for 0 a free port that the system gives to no outgoing connection. Throws
 * `CommandError` PORT_IN_USE, and ADDRESS_UNKNOWN when `host` is no address of this machine.
 */
export async function portFor(wanted: number, setting: string, host: string): Promise<number> {
  const port = wanted === 0 ? await freePort() : wanted;
  const server = createServer();
  try {
    server.listen({ port, host });
    await once(server, 'listening');
    return port;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRNOTAVAIL')
      throw new CommandError(`port ${port} is in use: set ${setting} to another one`, 'PORT_IN_USE');
    const text = `this machine does not have the address ${host}: set LISTEN_HOST to another one`;
    throw new CommandError(text, 'ADDRESS_UNKNOWN');
  } finally {
    server.close();
  }
}

import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './at-end.ts';

/** Lets a server listen until the end of the test or the file, by default on a free port of 127.0.0.1. Returns its port. */
export async function listen(
  server: Pick<Server, 'listen' | 'address' | 'close' | 'closeAllConnections'> & NodeJS.EventEmitter,
  at: { readonly host: string; readonly port: number } = { host: '127.0.0.1', port: 0 },
): Promise<number> {
  server.listen(at);
  await once(server, 'listening');
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/**
 * Starts an HTTP server that runs until the end of the test or the file. Returns its address without a
 * trailing slash.
 */
export async function serve(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(answer))}`;
}

/** The small HTTP server for operators: metrics and health. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from './metrics.ts';

/** The port of the ops server is taken, or not allowed. */
export class OpsListenError extends Error {
  readonly code = 'OPS_LISTEN_FAILED';

  constructor(port: number, cause: Error) {
    super(`cannot listen on METRICS_PORT ${port}: ${cause.message}`, { cause });
    this.name = 'OpsListenError';
  }
}

/** A running ops server. */
export type Ops = { readonly port: number; close(): Promise<void> };

/**
 * Serves `/metrics`, `/health/live` (200 while the process answers) and `/health/ready` (200 where `ready()`, else 503).
 * Port 0 takes a free one. Throws `OpsListenError`.
 */
export async function startOps(options: {
  port: number;
  metrics: Registry;
  ready: () => boolean;
}): Promise<Ops> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? '/';
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return answer(response, 405, 'method not allowed');
    if (path === '/health/live') return answer(response, 200, 'live');
    if (path === '/health/ready')
      return options.ready() ? answer(response, 200, 'ready') : answer(response, 503, 'not ready');
    if (path !== '/metrics') return answer(response, 404, 'not found');
    return options.metrics.metrics().then(
      (text) => answer(response, 200, text, options.metrics.contentType),
      (error: unknown) => answer(response, 500, `metrics failed: ${String(error)}`),
    );
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(options.port, resolve);
  await listening.catch((error: Error) => {
    throw new OpsListenError(options.port, error);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function answer(
  response: ServerResponse,
  status: number,
  body: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { 'content-type': type }).end(`${body}\n`);
}

/** The small HTTP server for operators: metrics and health. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineError } from '#errors/touchline-error.ts';
import { createHttpServer, refuseBadRequest } from './http-server.ts';
import type { Registry } from './metrics.ts';
import type { ServerTlsFiles } from './server-tls.ts';
import { serviceVersion } from './version.ts';

/** Thrown when the port of the ops server is in use, or the address is not one of this machine. */
class OpsListenError extends defineError('OpsListenError', (port: number, host: string, cause: Error) => [
  'OPS_LISTEN_FAILED',
  `cannot listen on METRICS_PORT ${port} of METRICS_HOST ${host}: ${cause.message}`,
  cause,
]) {}

type OpsSource = {
  readonly metrics: Registry;
  readonly ready: () => boolean;
  /** Receives the error when the metrics cannot be read. The client does not see it. */
  readonly onFailure?: (error: unknown) => void;
};

type OpsAnswer = { readonly status: number; readonly body: string; readonly type: string };

/** Answers a GET of a path, also for services with their own HTTP port. */
export async function opsAnswer(path: string, { metrics, ready, onFailure }: OpsSource): Promise<OpsAnswer> {
  if (path === '/health') {
    const body = JSON.stringify({ version: serviceVersion(), live: true, ready: ready() });
    return { status: 200, body: `${body}\n`, type: 'application/json' };
  }
  if (path === '/health/live') return textAnswer(200, 'live');
  if (path === '/health/ready') return ready() ? textAnswer(200, 'ready') : textAnswer(503, 'not ready');
  if (path !== '/metrics') return textAnswer(404, 'not found');
  try {
    return { ...textAnswer(200, await metrics.metrics()), type: metrics.contentType };
  } catch (error) {
    onFailure?.(error);
    return textAnswer(500, 'metrics failed');
  }
}

/** Maximum number of open connections: those of a scraper, of probes and of an operator. */
const MAX_CONNECTIONS = 100;

export type Ops = { readonly port: number; close(): Promise<void> };

/** Serves `/metrics`, `/health` (JSON), `/health/live` and `/health/ready` (200, else 503). Port 0 takes a free one. Throws `OpsListenError`. */
export async function startOps(
  options: OpsSource & { port: number; host: string; tls?: ServerTlsFiles | null },
): Promise<Ops> {
  const { port, host, tls = null } = options;
  const server = createHttpServer({ maxConnections: MAX_CONNECTIONS, tls }, (request, response) => {
    const path = request.url?.split('?', 1)[0] ?? '/';
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(response, textAnswer(405, 'method not allowed'));
    return opsAnswer(path, options).then((answer) => send(response, answer));
  });
  server.on('clientError', refuseBadRequest);
  await once(server.listen({ port, host }), 'listening').catch((error: Error) => {
    throw new OpsListenError(port, host, error);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}

function textAnswer(status: number, text: string): OpsAnswer {
  return { status, body: `${text}\n`, type: 'text/plain; charset=utf-8' };
}

function send(response: ServerResponse, { status, body, type }: OpsAnswer): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}

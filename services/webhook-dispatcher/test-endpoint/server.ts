import type { AddressInfo } from 'node:net';
import { type FastifyBaseLogger, fastify } from 'fastify';
import { type TestEndpointOptions, testEndpoint } from './test-endpoint.ts';

export type ServerOptions = TestEndpointOptions & {
  /** 0 takes a free one. */
  readonly port: number;
  readonly host: string;
  /** Proxies in front that say whose request it is. */
  readonly proxies: number;
  readonly log: FastifyBaseLogger;
};

/** A server that listens. */
export type Server = { readonly port: number; close(): Promise<void> };

/** Serves `POST /test-webhook-url/`. Rejects where the port cannot be had. */
export async function startServer({ port, host, proxies, log, ...options }: ServerOptions): Promise<Server> {
  const app = fastify({
    loggerInstance: log,
    // A request holds a customer's secret, and what it is of nobody has to know.
    disableRequestLogging: true,
    forceCloseConnections: true,
    trustProxy: (_address, hop) => hop < proxies,
  });
  await testEndpoint(app, options);
  await app.listen({ port, host });
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
}

import type { AddressInfo } from 'node:net';
import { type FastifyBaseLogger, fastify } from 'fastify';
import { fastifyServer, followCertificate, type ServerTlsFiles } from '#service/server-tls.ts';
import { type TestEndpointOptions, testEndpoint } from './test-endpoint.ts';

export type ServerOptions = TestEndpointOptions & {
  /** 0 uses a free one. */
  readonly port: number;
  readonly host: string;
  /** Proxies in front that name the client address. */
  readonly proxies: number;
  /** Null: plain HTTP. */
  readonly tls: ServerTlsFiles | null;
  readonly log: FastifyBaseLogger;
};

/** A listening server. */
export type Server = { readonly port: number; close(): Promise<void> };

/** Serves `POST /test-webhook-url/`. Rejects where the port is not available. */
export async function startServer({
  port,
  host,
  proxies,
  tls,
  log,
  ...options
}: ServerOptions): Promise<Server> {
  const app = fastify({
    loggerInstance: log,
    // A request contains a customer's secret: log nothing of it.
    disableRequestLogging: true,
    forceCloseConnections: true,
    trustProxy: (_address, hop) => hop < proxies,
    ...fastifyServer(tls),
  });
  followCertificate(app.server, tls);
  await testEndpoint(app, options);
  await app.listen({ port, host });
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
}

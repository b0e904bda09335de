import type { AddressInfo } from 'node:net';
import {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { fastifyServer, refuseBadRequest } from '#service/http-server.ts';
import type { ServerTlsFiles } from '#service/server-tls.ts';
import { type TestEndpointOptions, testEndpoint } from './test-endpoint.ts';

export type ServerOptions = TestEndpointOptions & {
  /** 0 uses a free one. */
  readonly port: number;
  readonly host: string;
  /** Proxies in front that name the client address. */
  readonly proxies: number;
  /** Null: plain HTTP. */
  readonly tls: ServerTlsFiles | null;
  /** Aborted when each answer shall end its connection. */
  readonly draining: AbortSignal;
  readonly log: FastifyBaseLogger;
};

export type Server = { readonly port: number; close(): Promise<void> };

/** Serves `POST /test-webhook-url/`. Rejects where the port is not available. */
export async function startServer({
  port,
  host,
  proxies,
  tls,
  draining,
  log,
  ...options
}: ServerOptions): Promise<Server> {
  const app = fastify({
    ...fastifyServer({ log, tls, draining }),
    loggerInstance: log,
    // A request contains a customer's secret: log nothing of it.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: (_address, hop) => hop < proxies,
    clientErrorHandler: refuseBadRequest,
    // Fastify's own answers repeat the URL.
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) =>
      reply.code(400).send({ error: 'bad_request' }),
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not_found' }));
  await testEndpoint(app, options);
  await app.listen({ port, host });
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
}

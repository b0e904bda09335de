import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { fastifyServer, type HttpServerOptions, refuseBadRequest } from '#service/http-server.ts';
import { type TestEndpointOptions, testEndpoint } from './test-endpoint.ts';

type TestAppOptions = TestEndpointOptions &
  Pick<HttpServerOptions, 'tls' | 'draining'> & {
    /** Number of proxies in front; their X-Forwarded-For names the client address. */
    readonly proxies: number;
    readonly log: FastifyBaseLogger;
  };

/** Creates the server on DISPATCHER_PORT: `POST /test-webhook-url/`. */
export async function createApp({
  proxies,
  tls = null,
  draining,
  log,
  ...options
}: TestAppOptions): Promise<FastifyInstance> {
  const app = fastify({
    ...fastifyServer({ log, tls, draining }),
    loggerInstance: log,
    // A request contains a customer's secret: logs nothing of it.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: (_address, hop) => hop < proxies,
    clientErrorHandler: refuseBadRequest,
    // Fastify's own answers repeat the URL.
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) =>
      reply.code(400).send({ error: 'bad_request' }),
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not_found' }));
  await testEndpoint(app, options);
  return app;
}

import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { fastifyServer, type HttpServerOptions, refuseBadRequest } from '#service/http-server.ts';
import { traceRequests } from '#tracing/trace-requests.ts';
import { type TokenRoutesOptions, tokenRoutes } from './token-exchange/routes.ts';

type ToolGatewayAppOptions = TokenRoutesOptions &
  Pick<HttpServerOptions, 'tls' | 'draining' | 'requestMs'> & {
    /** Networks of proxies whose X-Forwarded-For names the client's address; empty: none. */
    readonly trustedProxies: readonly string[];
    readonly log: FastifyBaseLogger;
  };

/** Creates the server on TOOLS_PORT, with the routes of the token exchange. It logs no request. */
export async function createApp(options: ToolGatewayAppOptions): Promise<FastifyInstance> {
  const { trustedProxies, log, requestMs, draining, tls = null, ...tokens } = options;
  const app = fastify({
    ...fastifyServer({ log, tls, draining, requestMs }),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    clientErrorHandler: refuseBadRequest,
    // Fastify's own answers repeat the URL and the message of the error.
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) =>
      reply.code(400).send({ error: 'bad_request', message: 'The request cannot be read' }),
  });
  traceRequests(app);
  const message = 'Unknown path: tools are at /mcp, tokens at POST /api/v1/token';
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not_found', message }));
  app.setErrorHandler((error: Error, _request, reply) => {
    log.error({ err: error }, 'a request failed');
    return reply.code(500).send({ error: 'internal_error', message: 'Server error' });
  });
  await app.register(tokenRoutes, tokens);
  return app;
}

import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { fastifyServer, refuseBadRequest } from '#service/http-server.ts';
import type { ServerTlsFiles } from '#service/server-tls.ts';
import { traceRequests } from '#tracing/trace-requests.ts';
import { type TokenRoutesOptions, tokenRoutes } from './token-exchange/routes.ts';

export type ToolGatewayAppOptions = TokenRoutesOptions & {
  /** Networks whose word on the client's address counts; of none where it is empty. */
  readonly trustedProxies: readonly string[];
  /** Null: plain HTTP. */
  readonly tls?: ServerTlsFiles | null;
  /** Aborted when each answer shall end its connection. */
  readonly draining?: AbortSignal | undefined;
  readonly log: FastifyBaseLogger;
  /** Longest time until a request has arrived as a whole, milliseconds; after that it is answered 408. Default 10,000. */
  readonly requestMs?: number;
};

/** Everything that is served on TOOLS_PORT. No request is logged. */
export async function createApp(options: ToolGatewayAppOptions): Promise<FastifyInstance> {
  const { trustedProxies, log, requestMs, draining, tls = null, ...tokens } = options;
  const app = fastify({
    ...fastifyServer({ log, tls, draining, ...(requestMs === undefined ? {} : { requestMs }) }),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    clientErrorHandler: refuseBadRequest,
    // Fastify's own answers repeat the URL and the message of the error.
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) =>
      reply.code(400).send({ error: 'bad_request', message: 'The request cannot be read' }),
  });
  traceRequests(app);
  const message = 'There is nothing at this path: tools are at /mcp, tokens at POST /api/v1/token';
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not_found', message }));
  app.setErrorHandler((error: Error, _request, reply) => {
    log.error({ err: error }, 'a request failed');
    return reply.code(500).send({ error: 'internal_error', message: 'Server error' });
  });
  await app.register(tokenRoutes, tokens);
  return app;
}

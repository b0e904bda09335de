import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { type TokenRoutesOptions, tokenRoutes } from './token-exchange/routes.ts';

export type AppOptions = TokenRoutesOptions & {
  /** Networks whose word on the client's address counts; of none where it is empty. */
  readonly trustedProxies: readonly string[];
  readonly log: FastifyBaseLogger;
};

/** Longest time from the head of a request to its end, milliseconds. */
const REQUEST_MS = 10_000;

/** Everything that is served on TOOLS_PORT. No request is logged. */
export async function createApp({ trustedProxies, log, ...tokens }: AppOptions): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    requestTimeout: REQUEST_MS,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    // Fastify's own answers repeat the URL and the message of the error.
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) =>
      reply.code(400).send({ error: 'bad_request' }),
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not_found' }));
  app.setErrorHandler((error: Error, _request, reply) => {
    log.error({ err: error }, 'a request failed');
    return reply.code(500).send({ error: 'internal_error' });
  });
  await app.register(tokenRoutes, tokens);
  return app;
}

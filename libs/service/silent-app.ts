import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
  LogController,
} from 'fastify';
import { fastifyServer, type HttpServerOptions, refuseBadRequest } from './http-server.ts';

export type SilentAppOptions = Pick<HttpServerOptions, 'tls' | 'draining' | 'requestMs'> & {
  readonly log: FastifyBaseLogger;
};

type SilentAppAnswers = {
  /** Proxies whose X-Forwarded-For names the client's address. */
  readonly trustProxy: NonNullable<FastifyServerOptions['trustProxy']>;
  /** Body of the answer 400 to a request that cannot be read. */
  readonly badRequest: object;
  /** Body of the answer 404 for an unknown path. */
  readonly notFound: object;
};

/** Creates a server whose paths may end with a slash, and whose requests contain secrets: it logs no request, and its refusals repeat nothing of one. */
export function createSilentApp(
  options: SilentAppOptions,
  { trustProxy, badRequest, notFound }: SilentAppAnswers,
): FastifyInstance {
  const app = fastify({
    ...fastifyServer(options),
    routerOptions: { ignoreTrailingSlash: true },
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy,
    clientErrorHandler: refuseBadRequest,
    // Fastify's own answers repeat the URL and the message of the error.
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) =>
      reply.code(400).send(badRequest),
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(notFound));
  return app;
}

import type { Socket } from 'node:net';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { fastifyServer, followCertificate, type ServerTlsFiles } from '#service/server-tls.ts';
import { type TokenRoutesOptions, tokenRoutes } from './token-exchange/routes.ts';

export type AppOptions = TokenRoutesOptions & {
  /** Networks whose word on the client's address counts; of none where it is empty. */
  readonly trustedProxies: readonly string[];
  /** Null: plain HTTP. */
  readonly tls?: ServerTlsFiles | null;
  readonly log: FastifyBaseLogger;
  /** Longest time until a request has arrived as a whole, milliseconds; after that it is answered 408. Default 10,000. */
  readonly requestMs?: number;
};

const REQUEST_MS = 10_000;
/** How often within that time slow requests are looked for. */
const CHECKS = 10;

/** Everything that is served on TOOLS_PORT. No request is logged. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { trustedProxies, log, requestMs = REQUEST_MS, tls = null, ...tokens } = options;
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    requestTimeout: requestMs,
    ...fastifyServer(tls, {
      headersTimeout: requestMs,
      connectionsCheckingInterval: Math.ceil(requestMs / CHECKS),
    }),
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    clientErrorHandler: refuseBadRequest,
    // Fastify's own answers repeat the URL and the message of the error.
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) =>
      reply.code(400).send({ error: 'bad_request' }),
  });
  followCertificate(app.server, tls);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not_found' }));
  app.setErrorHandler((error: Error, _request, reply) => {
    log.error({ err: error }, 'a request failed');
    return reply.code(500).send({ error: 'internal_error' });
  });
  await app.register(tokenRoutes, tokens);
  return app;
}

/** Of what is no request, by the code of Node's error; 400 for any other. */
const BAD_REQUESTS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Fastify's own handler logs the error, which holds the bytes that came. */
function refuseBadRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ error: 'bad_request' });
  const head = [
    `HTTP/1.1 ${BAD_REQUESTS[error.code ?? ''] ?? '400 Bad Request'}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

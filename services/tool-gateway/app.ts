import type { FastifyInstance } from 'fastify';
import { createSilentApp, type SilentAppOptions } from '#service/silent-app.ts';
import { traceRequests } from '#tracing/trace-requests.ts';
import { type TokenRoutesOptions, tokenRoutes } from './token-exchange/routes.ts';

type ToolGatewayAppOptions = TokenRoutesOptions &
  SilentAppOptions & {
    /** Networks of proxies whose X-Forwarded-For names the client's address; empty: none. */
    readonly trustedProxies: readonly string[];
  };

/** Creates the server on TOOLS_PORT, with the routes of the token exchange. */
export async function createApp(options: ToolGatewayAppOptions): Promise<FastifyInstance> {
  const { trustedProxies, log, exchange, onAnswer } = options;
  const app = createSilentApp(options, {
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    badRequest: { error: 'bad_request', message: 'The request cannot be read' },
    notFound: {
      error: 'not_found',
      message: 'Unknown path: tools are at /mcp, tokens at POST /api/v1/token',
    },
  });
  traceRequests(app);
  app.setErrorHandler((error: Error, _request, reply) => {
    log.error({ err: error }, 'a request failed');
    return reply.code(500).send({ error: 'internal_error', message: 'Server error' });
  });
  await app.register(tokenRoutes, { exchange, onAnswer });
  return app;
}

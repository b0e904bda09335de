import { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import type { Gatekeeper, ProviderData } from '#contract/rest/provider.ts';
import { restRoutes, sendError } from '#contract/rest/routes.ts';
import { restServerOptions } from '#contract/rest/server-options.ts';
import type { Registry } from '#service/metrics.ts';
import { opsAnswer } from '#service/ops.ts';
import { boardRoutes } from './board/routes.ts';
import { documentRoutes } from './document.ts';
import type { ApiMetrics } from './metrics.ts';
import type { BoardView } from './views/board-view.ts';

export type AppOptions = {
  readonly data: ProviderData;
  readonly gatekeeper: Gatekeeper;
  readonly view: BoardView;
  readonly version: string;
  readonly publicUrl: string | undefined;
  readonly registry: Registry;
  readonly metrics: ApiMetrics;
  readonly log: FastifyBaseLogger;
  /** Whether the views have caught up; before that only health and metrics are answered. */
  readonly ready: () => boolean;
};

const OPS = ['/metrics', '/health/live', '/health/ready'];
const NOT_YET = JSON.stringify({ api: { error: { message: 'Not ready yet', internal_code: 5 } } });

/** Everything that is served on API_PORT. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { data, gatekeeper, view, version, publicUrl, registry, metrics, log, ready } = options;
  const now = (): number => Date.now() / 1000;
  const app = fastify({
    ...restServerOptions(version, now),
    loggerInstance: log,
    forceCloseConnections: true,
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (ready() || OPS.includes(request.routeOptions.url ?? '')) return done();
    refuse(reply);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    metrics.requestSeconds.observe({ route, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
    done();
  });
  for (const path of OPS) {
    app.get(path, { logLevel: 'warn' }, async (_request, reply) => {
      const { status, body, type } = await opsAnswer(path, { metrics: registry, ready });
      return reply.code(status).type(type).send(body);
    });
  }
  await app.register(restRoutes, {
    ...{ data, gatekeeper, now, version },
    ...(publicUrl === undefined ? {} : { baseUrl: publicUrl }),
  });
  await app.register(documentRoutes, { version, publicUrl });
  await app.register(boardRoutes, { view, now, metrics: registry });
  // Fastify's own answer repeats the URL, which may hold a token.
  app.setNotFoundHandler((_request, reply) => sendError(reply, 'not_found', version, Math.floor(now())));
  return app;
}

function refuse(reply: FastifyReply): void {
  reply.code(503).header('retry-after', '1').type('application/json; charset=utf-8').send(NOT_YET);
}

import type { FastifyInstance } from 'fastify';
import { tracer } from './tracing.ts';

/** A span for each request that a server answered: by its route, never its address, which may hold a token. */
export function traceRequests(app: FastifyInstance): void {
  const tracing = tracer();
  if (tracing === null) return;
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const { method, headers } = request;
    const from = headers.traceparent;
    const status = reply.statusCode;
    const span = tracing.start(`${method} ${route}`, {
      kind: 'server',
      startedAt: Date.now() - reply.elapsedTime,
      // A trace of its own, linked to the caller's: nobody outside decides what is recorded here.
      links: typeof from === 'string' ? [from] : [],
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
      },
    });
    span?.end(status >= 500 ? String(status) : undefined);
    done();
  });
}

import type { FastifyInstance } from 'fastify';
import { tracer } from './tracing.ts';

/** Adds a span for each answered request, named after its route: the address may contain a token. */
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
      // A new trace, linked to the client's: clients must not decide what is recorded here.
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

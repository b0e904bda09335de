import type { FastifyInstance } from 'fastify';
import { createSilentApp, type SilentAppOptions } from '#service/silent-app.ts';
import { type TestEndpointOptions, testEndpoint } from './test-endpoint.ts';

type TestAppOptions = TestEndpointOptions &
  SilentAppOptions & {
    /** Number of proxies in front; their X-Forwarded-For names the client address. */
    readonly proxies: number;
  };

/** Creates the server on DISPATCHER_PORT: `POST /test-webhook-url/`. A request contains a customer's secret. */
export async function createApp(options: TestAppOptions): Promise<FastifyInstance> {
  const app = createSilentApp(options, {
    trustProxy: (_address, hop) => hop < options.proxies,
    badRequest: { error: 'bad_request' },
    notFound: { error: 'not_found' },
  });
  await testEndpoint(app, options);
  return app;
}

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { openApi } from '#contract/rest/openapi.ts';
import { readExample } from './docs/examples.ts';

type DocumentOptions = { readonly version: string; readonly publicUrl: string | undefined };

/** The viewer runs only its own files, and has images in its styles. */
const VIEWER_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Serves the contract as `/openapi.json`, and as the page `/docs` of Swagger UI, which loads nothing from another host. */
export async function documentRoutes(
  app: FastifyInstance,
  { version, publicUrl }: DocumentOptions,
): Promise<void> {
  const document = openApi({ version, baseUrl: publicUrl, exampleOf: readExample });
  const json = JSON.stringify(document);
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(json));
  await app.register(swagger, { mode: 'static', specification: { document: JSON.parse(json) } });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: VIEWER_POLICY,
    theme: { title: document.info.title },
    uiConfig: {
      layout: 'BaseLayout',
      filter: true,
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: -1,
      supportedSubmitMethods: ['get'],
    },
  });
}

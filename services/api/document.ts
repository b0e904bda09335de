import type { FastifyInstance } from 'fastify';
import { openApi } from '#contract/rest/openapi.ts';
import { assetRoutes } from './board/assets.ts';
import { sendPage } from './board/pages/layout.ts';
import { docsPage } from './docs/page.ts';
import { readExample, referenceOf } from './docs/reference.ts';

type DocumentOptions = {
  readonly version: string;
  readonly publicUrl: string | undefined;
  /** Whether the live board is served too. */
  readonly board: boolean;
};

/** The address in examples. */
const EXAMPLE_ORIGIN = 'http://localhost:8081';

/** Serves the contract as `/openapi.json` and as the page `/docs`, both rendered once, and the assets of all pages. */
export async function documentRoutes(
  app: FastifyInstance,
  { version, publicUrl, board }: DocumentOptions,
): Promise<void> {
  const document = openApi({ version, baseUrl: publicUrl });
  const json = JSON.stringify(document);
  const groups = referenceOf(document, readExample);
  const page = docsPage({ title: document.info.title, version, groups, board });
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(json));
  // The examples have the address by which the reader came: they can be copied.
  app.get('/docs', ({ protocol, host }, reply) => {
    const own = URL.parse(publicUrl ?? `${protocol}://${host}`)?.origin;
    return sendPage(reply, own === undefined ? page : page.replaceAll(EXAMPLE_ORIGIN, own));
  });
  assetRoutes(app);
}

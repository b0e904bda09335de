import type { FastifyInstance } from 'fastify';
import { openApi } from '#contract/rest/openapi.ts';
import { type AssetList, assetRoutes, boardFile, loadAssets } from './board/assets.ts';
import { PAGE_HEADERS } from './board/pages/layout.ts';
import { docsPage } from './docs/page.ts';
import { readExample, referenceOf } from './docs/reference.ts';

/** What the reference loads: its own, and the board's look, also where the board is not served. */
const DOCS_ASSETS: AssetList = {
  at: '/docs/assets/',
  folder: new URL('docs/', import.meta.url),
  scripts: ['browser/try-it.js'],
  files: [
    new URL('docs/assets/docs.css', import.meta.url),
    boardFile('tokens.css'),
    boardFile('base.css'),
    boardFile('icon.svg'),
  ],
};

/** The contract as a document: `/openapi.json` for programs, `/docs` for people. Both are made once. */
export async function documentRoutes(
  app: FastifyInstance,
  options: { readonly version: string; readonly publicUrl: string | undefined; readonly board: boolean },
): Promise<void> {
  const { version, publicUrl, board } = options;
  const document = openApi({ version, ...(publicUrl === undefined ? {} : { baseUrl: publicUrl }) });
  const json = JSON.stringify(document);
  const assets = loadAssets(DOCS_ASSETS);
  const groups = referenceOf(document, readExample);
  const page = docsPage({ title: document.info.title, version, groups, board }, assets);
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(json));
  app.get('/docs', (_request, reply) =>
    reply
      .headers({ ...PAGE_HEADERS, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(page),
  );
  assetRoutes(app, DOCS_ASSETS.at, assets);
}

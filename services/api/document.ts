import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { openApi } from '#contract/rest/openapi.ts';
import { renderDocument, STYLE } from './render/document.ts';

const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; frame-ancestors 'none'`;

/** The contract as a document: `/openapi.json` for programs, `/docs` for people. Both are made once. */
export async function documentRoutes(
  app: FastifyInstance,
  options: { readonly version: string; readonly publicUrl: string | undefined; readonly board: boolean },
): Promise<void> {
  const { version, publicUrl, board } = options;
  const document = openApi({ version, ...(publicUrl === undefined ? {} : { baseUrl: publicUrl }) });
  const json = JSON.stringify(document);
  const page = renderDocument(document, board);
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(json));
  app.get('/docs', (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(page),
  );
}

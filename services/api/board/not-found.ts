import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Assets } from './assets.ts';
import { PAGE_HEADERS, problemPage } from './pages/layout.ts';

/** Answers a browser that asks for an unknown path with a page; all others, and all paths of the contract, as the contract does. */
export function notFoundPages(assets: Assets): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const page = problemPage('No such page', 'Nothing is served at this address.', assets);
  return ({ headers, method, url }, reply) => {
    const isPage = (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true;
    if (!isPage || url.startsWith('/v2/') || url.startsWith('/board/')) return false;
    reply
      .code(404)
      .headers(PAGE_HEADERS)
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(page);
    return true;
  };
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemPage, sendPage } from './pages/layout.ts';

/** Answers a browser that asks for an unknown path with a page; all others, and all paths of the contract, as the contract does. */
export function notFoundPage({ headers, method, url }: FastifyRequest, reply: FastifyReply): boolean {
  const isPage = (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true;
  if (!isPage || url.startsWith('/v2/') || url.startsWith('/board/')) return false;
  sendPage(reply.code(404), problemPage('No such page', 'Nothing is served at this address.'), 'no-store');
  return true;
}

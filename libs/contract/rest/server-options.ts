/** How a Fastify server that has `restRoutes` is to be made. */
import type { Socket } from 'node:net';
import { type FastifyReply, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify';
import { errorBody } from './envelope.ts';
import { sendError } from './error-answers.ts';
import { REST_ERRORS } from './errors.ts';

/** Longer than any URL that Node takes, so that an id of any length is looked at, and is nobody's. */
const MAX_PARAM_LENGTH = 65_536;

/**
 * Options for `fastify(...)`: what is refused before any route is found, by Fastify or as no HTTP at all, is answered in
 * the envelope too, and no request is logged with its URL, for URLs hold tokens. `now` is Unix seconds.
 */
export function restServerOptions(
  version: string,
  now: () => number,
): Pick<FastifyServerOptions, 'clientErrorHandler' | 'frameworkErrors' | 'logController' | 'routerOptions'> {
  return {
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) => {
      sendError(reply, 'INVALID_PARAMETER', version, Math.floor(now()));
    },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else socket.end(refusal(version, Math.floor(now())), () => socket.destroy());
    },
  };
}

/** The whole answer to what is no HTTP, or has a URL longer than any. */
function refusal(version: string, now: number): string {
  const body = errorBody('INVALID_PARAMETER', version, now);
  const head = [
    `HTTP/1.1 ${REST_ERRORS.INVALID_PARAMETER.status} Bad Request`,
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Error answers of a server of the contract. They repeat neither the URL, which may hold a token, nor details. */

import type { Socket } from 'node:net';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { rawAnswer, refuseWith } from '#service/http-server.ts';
import { errorBody } from './envelope.ts';
import { REST_ERRORS, RestError, type RestErrorCode } from './errors.ts';

/** No cache may store answers: they change over time, and their URLs hold tokens. */
const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' } as const;

/** Sets the headers of every answer of the contract. */
export function answerHeaders(reply: FastifyReply): FastifyReply {
  return reply.headers(HEADERS);
}

/** Sends an error of the contract. `message`: the message of `code` by default. */
export function sendError(
  reply: FastifyReply,
  code: RestErrorCode,
  version: string,
  now: number,
  message?: string,
): FastifyReply {
  const { status } = REST_ERRORS[code];
  if (status === 503) reply.header('retry-after', '1');
  return answerHeaders(reply)
    .code(status)
    .send(errorBody(code, version, now, message));
}

export type ErrorAnswers = {
  /** Unix seconds. */
  readonly now: () => number;
  readonly version: string;
  /** Answers an unknown path in another way than the envelope, or returns false. */
  readonly notFound?: ((request: FastifyRequest, reply: FastifyReply) => boolean) | undefined;
  /** Called with each internal error, after its answer. */
  readonly onFailure?: (error: unknown) => void;
};

/** Answers unknown routes and errors in the envelope: Fastify's own answers repeat the URL. Logs internal errors without the request. */
export function answerErrors(
  app: FastifyInstance,
  { now, version, notFound, onFailure }: ErrorAnswers,
): void {
  const fail = (reply: FastifyReply, code: RestErrorCode, message?: string) =>
    sendError(reply, code, version, Math.floor(now()), message);
  app.setNotFoundHandler((request, reply) => {
    if (notFound?.(request, reply) !== true) fail(reply, 'NOT_FOUND');
  });
  app.setErrorHandler((error: Error, _request, reply) => {
    const code = codeOf(error);
    fail(reply, code, error instanceof RestError ? error.message : undefined);
    if (code !== 'INTERNAL') return;
    // Not the request's own logger, as the server decides what that logs of the request.
    app.log.error({ err: error }, 'a request failed');
    onFailure?.(error);
  });
}

/** Returns the code of a thrown error. Fastify rejects some requests itself; any other error is internal. */
function codeOf(error: Error): RestErrorCode {
  if (error instanceof RestError) return error.code;
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (status === 404) return 'NOT_FOUND';
  return typeof status === 'number' && status >= 400 && status < 500 ? 'INVALID_PARAMETER' : 'INTERNAL';
}

/** Longer than any URL that Node accepts, so that an id of any length is an unknown id. */
const MAX_PARAM_LENGTH = 65_536;

/** Returns options for `fastify(...)`: it answers in the envelope also before routing, and logs no URL, which may hold a token. */
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
    // A request that is not HTTP, or whose URL is too long.
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      refuseWith(error, socket, () =>
        rawAnswer('400 Bad Request', errorBody('INVALID_PARAMETER', version, Math.floor(now()))),
      ),
  };
}

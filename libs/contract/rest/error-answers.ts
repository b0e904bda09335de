/** Errors as a server of the contract answers them: never with the URL, which may hold a token, nor with what went wrong. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { errorBody } from './envelope.ts';
import { REST_ERRORS, RestError, type RestErrorCode } from './errors.ts';

/** Answers are of the moment, and their URLs hold tokens. */
const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' } as const;

/** Gives an answer the headers that every one of the contract has. */
export function answerHeaders(reply: FastifyReply): FastifyReply {
  return reply.headers(HEADERS);
}

/** Answers with an error of the contract. */
export function sendError(
  reply: FastifyReply,
  code: RestErrorCode,
  version: string,
  now: number,
): FastifyReply {
  return answerHeaders(reply)
    .code(REST_ERRORS[code].status)
    .send(errorBody(code, version, now));
}

/** What errors are answered with. */
export type ErrorAnswers = {
  /** Unix seconds. */
  readonly now: () => number;
  readonly version: string;
  /** Told of what failed through no fault of the client's, once that is answered. */
  readonly onFailure?: (error: unknown) => void;
};

/**
 * Answers whatever `app` has no route for, and whatever is thrown in it, in the envelope. Fastify's own answers repeat
 * the URL and the message of the error. What is our fault is logged, without the request.
 */
export function answerErrors(app: FastifyInstance, { now, version, onFailure }: ErrorAnswers): void {
  const fail = (reply: FastifyReply, code: RestErrorCode) =>
    sendError(reply, code, version, Math.floor(now()));
  app.setNotFoundHandler((_request, reply) => fail(reply, 'NOT_FOUND'));
  app.setErrorHandler((error: Error, _request, reply) => {
    const code = codeOf(error);
    fail(reply, code);
    if (code !== 'INTERNAL') return;
    // Not by the request's own logger, whose bindings are the server's choice.
    app.log.error({ err: error }, 'a request failed');
    onFailure?.(error);
  });
}

/** Fastify refuses some requests itself; whatever else is thrown is our fault. */
function codeOf(error: Error): RestErrorCode {
  if (error instanceof RestError) return error.code;
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (status === 404) return 'NOT_FOUND';
  return typeof status === 'number' && status >= 400 && status < 500 ? 'INVALID_PARAMETER' : 'INTERNAL';
}

import type { Socket } from 'node:net';
import { type FastifyReply, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify';
import { rawAnswer, refuseWith } from '#service/http-server.ts';
import { errorBody } from './envelope.ts';
import { sendError } from './error-answers.ts';
import { REST_ERRORS } from './errors.ts';

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
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      refuseWith(error, socket, () => refusal(version, Math.floor(now()))),
  };
}

/** Returns the raw answer to a request that is not HTTP, or whose URL is too long. */
function refusal(version: string, now: number): string {
  const status = `${REST_ERRORS.INVALID_PARAMETER.status} Bad Request`;
  return rawAnswer(status, errorBody('INVALID_PARAMETER', version, now));
}

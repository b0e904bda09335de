/** How a Fastify server that has `restRoutes` is to be made. */
import { type FastifyReply, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify';
import { sendError } from './routes.ts';

/** Longer than any URL that Node takes, so that an id of any length is looked at, and is nobody's. */
const MAX_PARAM_LENGTH = 65_536;

/**
 * Options for `fastify(...)`: what Fastify refuses before any route is found is answered in the envelope too, and no
 * request is logged with its URL, for URLs hold tokens. `now` is Unix seconds.
 */
export function restServerOptions(
  version: string,
  now: () => number,
): Pick<FastifyServerOptions, 'frameworkErrors' | 'logController' | 'routerOptions'> {
  return {
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) => {
      sendError(reply, 'invalid_parameter', version, Math.floor(now()));
    },
  };
}

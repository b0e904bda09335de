import type { FastifyInstance, FastifyReply } from 'fastify';
import { createSilentApp, type SilentAppOptions } from '#service/silent-app.ts';
import { traceRequests } from '#tracing/trace-requests.ts';
import type { IssuedToken, TokenExchange } from './token-exchange/exchange.ts';
import {
  BODY_LIMIT,
  EXCHANGE_ERRORS,
  ExchangeError,
  type ExchangeErrorCode,
  parseExchange,
} from './token-exchange/request.ts';

type ToolGatewayAppOptions = SilentAppOptions & {
  readonly exchange: TokenExchange;
  /** Called with each answer to an exchange: `issued`, or the error. */
  readonly onAnswer: (outcome: 'issued' | Lowercase<ExchangeErrorCode>, seconds: number) => void;
  /** Networks of proxies whose X-Forwarded-For names the client's address; empty: none. */
  readonly trustedProxies: readonly string[];
};

const TOKEN_PATH = '/api/v1/token';

/** Creates the server on TOOLS_PORT, with `POST /api/v1/token`: an attempt is counted for its address before the body is read. */
export async function createApp(options: ToolGatewayAppOptions): Promise<FastifyInstance> {
  const { trustedProxies, log, exchange, onAnswer } = options;
  const app = createSilentApp(options, {
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    badRequest: { error: 'bad_request', message: 'The request cannot be read' },
    notFound: {
      error: 'not_found',
      message: 'Unknown path: tools are at /mcp, tokens at POST /api/v1/token',
    },
  });
  traceRequests(app);
  const refuse = (reply: FastifyReply, error: ExchangeError): FastifyReply => {
    onAnswer(error.published, reply.elapsedTime / 1000);
    if (error.retryAfter !== null) reply.header('retry-after', String(error.retryAfter));
    const { status, message } = EXCHANGE_ERRORS[error.code];
    return reply.code(status).send({ error: error.published, message });
  };
  await app.register(async (scope) => {
    // Accepts every content type: `parseExchange` refuses a body that is not JSON as the spec says.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
      done(null, body),
    );
    scope.setErrorHandler((error: Error, _request, reply) => {
      const refusal = refusalOf(error);
      if (EXCHANGE_ERRORS[refusal.code].status >= 500)
        log.error({ err: refusal.cause ?? refusal, code: refusal.code }, 'an exchange failed');
      return refuse(reply, refusal);
    });
    scope.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: TOKEN_PATH,
      async onRequest({ method, ip }, reply) {
        reply.header('cache-control', 'no-store');
        if (method === 'POST') return exchange.admitAddress(ip);
        refuse(reply.header('allow', 'POST'), new ExchangeError('METHOD_NOT_ALLOWED'));
        return reply;
      },
      async handler(request, reply) {
        const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
        const issued = await exchange.exchange(parseExchange(request.headers['content-type'], body));
        onAnswer('issued', reply.elapsedTime / 1000);
        return reply.code(201).send(bodyOf(issued));
      },
    });
  });
  return app;
}

function bodyOf({ text, token: { expires_at } }: IssuedToken): object {
  const until = expires_at === null ? null : new Date(expires_at).toISOString();
  return {
    token: text,
    expires_at: until,
    warning: `Keep this token secret: it is shown only once. ${until === null ? 'It does not expire.' : `It expires at ${until}.`}`,
  };
}

/** Returns the answer to an error: Fastify itself refuses some bodies with 4xx; any other error is the server's fault. */
function refusalOf(error: Error): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const status = 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === 413) return new ExchangeError('BODY_TOO_LARGE');
  return status < 500
    ? new ExchangeError('MISSING_FIELDS')
    : new ExchangeError('INTERNAL_ERROR', { cause: error });
}

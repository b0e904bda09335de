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

type ToolGatewayAppOptions = TokenRoutesOptions &
  SilentAppOptions & {
    /** Networks of proxies whose X-Forwarded-For names the client's address; empty: none. */
    readonly trustedProxies: readonly string[];
  };

/** Creates the server on TOOLS_PORT, with the routes of the token exchange. */
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
  app.setErrorHandler((error: Error, _request, reply) => {
    log.error({ err: error }, 'a request failed');
    return reply.code(500).send({ error: 'internal_error', message: 'Server error' });
  });
  await app.register(tokenRoutes, { exchange, onAnswer });
  return app;
}

type TokenRoutesOptions = {
  readonly exchange: TokenExchange;
  /** Called with each answer: `issued`, or the error. */
  readonly onAnswer: (outcome: 'issued' | Lowercase<ExchangeErrorCode>, seconds: number) => void;
};

const TOKEN_PATH = '/api/v1/token';
const NO_STORE = ['cache-control', 'no-store'] as const;

/** `POST /api/v1/token`: the attempt is counted for its address before the body is read. */
async function tokenRoutes(app: FastifyInstance, { exchange, onAnswer }: TokenRoutesOptions): Promise<void> {
  const refuse = (reply: FastifyReply, error: ExchangeError): FastifyReply => {
    onAnswer(error.published, reply.elapsedTime / 1000);
    if (error.retryAfter !== null) reply.header('retry-after', String(error.retryAfter));
    const { status, message } = EXCHANGE_ERRORS[error.code];
    return reply
      .code(status)
      .header(...NO_STORE)
      .send({ error: error.published, message });
  };
  // Accepts every content type: `parseExchange` refuses a body that is not JSON as the spec says.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
    done(null, body),
  );
  app.setErrorHandler((error: Error, _request, reply) => {
    const refusal = refusalOf(error);
    if (EXCHANGE_ERRORS[refusal.code].status >= 500)
      app.log.error({ err: refusal.cause ?? refusal, code: refusal.code }, 'an exchange failed');
    return refuse(reply, refusal);
  });
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: TOKEN_PATH,
    // Refuses before the body is read.
    async onRequest({ method, ip }, reply) {
      if (method === 'POST') return exchange.admitAddress(ip);
      refuse(reply.header('allow', 'POST'), new ExchangeError('METHOD_NOT_ALLOWED'));
      return reply;
    },
    async handler(request, reply) {
      const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
      const issued = await exchange.exchange(parseExchange(request.headers['content-type'], body));
      onAnswer('issued', reply.elapsedTime / 1000);
      return reply
        .code(201)
        .header(...NO_STORE)
        .send(bodyOf(issued));
    },
  });
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
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (status === 413) return new ExchangeError('BODY_TOO_LARGE');
  if (typeof status === 'number' && status >= 400 && status < 500) return new ExchangeError('MISSING_FIELDS');
  return new ExchangeError('INTERNAL_ERROR', { cause: error });
}

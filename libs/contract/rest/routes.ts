/**
 * The contract as a Fastify plugin: everything that is the same for every server of it. Open operations never look at a
 * token; the others are answered 401 before their parameters are looked at, then 403, then 400, then from the data.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toWholeNumber } from '../values.ts';
import { ENVELOPE_END, envelopeStart, errorBody, neighbours, pathAndQuery } from './envelope.ts';
import { REST_ERRORS, RestError, type RestErrorCode } from './errors.ts';
import type { Operation, OperationInfo, Prepared } from './operation.ts';
import { OPERATIONS, TOKEN_OPERATION } from './operations.ts';
import type { Access, Answer, Gatekeeper, ProviderData } from './provider.ts';

/** What a server of the contract is made of. */
export type RestOptions = {
  readonly data: ProviderData;
  readonly gatekeeper: Gatekeeper;
  /** Unix seconds. */
  readonly now: () => number;
  /** `<major>.<minor>.<patch>`. */
  readonly version: string;
  /** What stands before `/v2` in the URLs of pages; the host that was asked where it is missing. */
  readonly baseUrl?: string;
};

const PREFIX = '/v2';

/** What open operations are called with; none of them looks at it. */
const NOTHING: Access = { clientId: 0, competitions: new Set(), operations: new Set() };

/**
 * Serves every operation below `/v2`, and answers every other path and method there with an error in the envelope.
 * Its requests are logged from `warn` on only: their URLs hold tokens. Register it with `restServerOptions`.
 */
export async function restRoutes(app: FastifyInstance, options: RestOptions): Promise<void> {
  const { version, now } = options;
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new TypeError(`${version} is not major.minor.patch`);
  const fail = (reply: FastifyReply, code: RestErrorCode) => sendError(reply, code, version, seconds(now));

  await app.register(
    async (v2) => {
      v2.setNotFoundHandler((_request, reply) => fail(reply, 'not_found'));
      v2.setErrorHandler((error: Error, _request, reply) => {
        const code = codeOf(error);
        // Not by the request's own logger, whose bindings are the server's choice.
        if (code === 'internal') v2.log.error({ err: error }, 'a request failed');
        return fail(reply, code);
      });
      for (const operation of OPERATIONS) {
        v2.get(fastifyPath(operation), (request, reply) => answer(operation, options, request, reply));
      }
      v2.get(fastifyPath(TOKEN_OPERATION), (request, reply) => answerToken(options, request, reply));

      const others = v2.supportedMethods.filter((method) => method !== 'GET' && method !== 'HEAD');
      for (const operation of [TOKEN_OPERATION, ...OPERATIONS]) {
        v2.route({
          method: others,
          url: fastifyPath(operation),
          // Before the body is read, which is nobody's.
          onRequest: async (_request, reply) => {
            reply.header('allow', 'GET, HEAD');
            throw new RestError('method_not_allowed');
          },
          handler: (_request, reply) => fail(reply, 'method_not_allowed'),
        });
      }
    },
    { prefix: PREFIX, logLevel: 'warn' },
  );
}

type Query = Readonly<Record<string, unknown>>;

function answer(operation: Operation, options: RestOptions, request: FastifyRequest, reply: FastifyReply) {
  const now = seconds(options.now);
  const query = request.query as Query;
  const token = typeof query.token === 'string' ? query.token : null;
  const access = operation.open ? NOTHING : admit(operation, token, options.gatekeeper, now);
  const id = operation.idName === null ? 0 : pathId(request);
  const prepared = operation.prepare(query, id, now);
  const { data, total } = prepared.answer(options.data, access);
  const base = () => options.baseUrl ?? `${request.protocol}://${request.host}`;
  const start = envelopeStart({
    version: options.version,
    now,
    operation,
    total: total ?? 1,
    ...pages(operation, prepared, id, total ?? 1, token, base),
    parameters: operation.open
      ? prepared.parameters
      : { client_id: String(access.clientId), ...prepared.parameters },
  });
  return send(reply, start, data);
}

function admit(operation: Operation, token: string | null, gatekeeper: Gatekeeper, now: number): Access {
  const access = token === null ? null : gatekeeper.access(token, now);
  if (access === null) throw new RestError('unauthorized');
  if (access.operations !== null && !access.operations.has(operation.name)) throw new RestError('forbidden');
  return access;
}

/** An id that is not a whole number is one that nobody has. */
function pathId(request: FastifyRequest): number {
  const id = toWholeNumber((request.params as { readonly id: string }).id);
  if (id === null) throw new RestError('not_found');
  return id;
}

/** The pages beside this one, with the token that was sent. They keep the window that this one had. */
function pages(
  operation: Operation,
  { paging, query }: Prepared,
  id: number,
  total: number,
  token: string | null,
  base: () => string,
): { previousPage: string; nextPage: string } {
  if (paging === null) return { previousPage: '', nextPage: '' };
  const { previous, next } = neighbours(paging, total);
  const url = (page: number | null): string =>
    page === null
      ? ''
      : base() + pathAndQuery(operation, id, { ...query, page, ...(token === null ? {} : { token }) });
  return { previousPage: url(previous), nextPage: url(next) };
}

async function answerToken(options: RestOptions, request: FastifyRequest, reply: FastifyReply) {
  const now = seconds(options.now);
  const credentials = TOKEN_OPERATION.params.safeParse(request.query);
  if (!credentials.success) throw new RestError('invalid_parameter');
  const { client_id, secret_key } = credentials.data as { client_id: string; secret_key: string };
  const granted = await options.gatekeeper.exchange(client_id, secret_key, now);
  if (granted === null) throw new RestError('unauthorized');
  const { token, expiration } = granted;
  const start = envelopeStart({
    version: options.version,
    now,
    operation: TOKEN_OPERATION,
    total: 1,
    previousPage: '',
    nextPage: '',
    parameters: { client_id },
  });
  return send(reply, start, JSON.stringify({ client_id, token, token_expiration: expiration }));
}

/**
 * Data is sent as it is: neither parsed nor made again. Bytes are not even copied, which is most of what a big answer
 * would cost: they go to the socket beside their envelope.
 */
function send(reply: FastifyReply, start: string, data: Answer['data']): FastifyReply {
  if (typeof data === 'string') return headers(reply).send(start + data + ENVELOPE_END);
  const length = Buffer.byteLength(start) + data.length + ENVELOPE_END.length;
  headers(reply).header('content-length', length);
  const { raw } = reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  raw.cork();
  raw.write(start);
  raw.write(data);
  raw.end(ENVELOPE_END);
  return reply;
}

/** Answers with an error of the contract. */
export function sendError(
  reply: FastifyReply,
  code: RestErrorCode,
  version: string,
  now: number,
): FastifyReply {
  return headers(reply)
    .code(REST_ERRORS[code].status)
    .send(errorBody(code, version, now));
}

/** Answers are of the moment, and their URLs hold tokens. */
const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' } as const;

function headers(reply: FastifyReply): FastifyReply {
  return reply.headers(HEADERS);
}

/** Fastify refuses some requests itself; whatever else is thrown is our fault. */
function codeOf(error: Error): RestErrorCode {
  if (error instanceof RestError) return error.code;
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (status === 404) return 'not_found';
  return typeof status === 'number' && status >= 400 && status < 500 ? 'invalid_parameter' : 'internal';
}

function fastifyPath(operation: OperationInfo): string {
  return operation.path.slice(PREFIX.length).replace('{id}', ':id');
}

const seconds = (now: () => number): number => Math.floor(now());

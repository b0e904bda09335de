/** The contract as a Fastify plugin. It checks the token (401), the access (403), the parameters (400), then reads the data. */
import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type JsonObject, toWholeNumber } from '#json/values.ts';
import { ENVELOPE_END, envelopeStart, neighbours, pathAndQuery } from './envelope.ts';
import { answerErrors, answerHeaders, type ErrorAnswers } from './error-answers.ts';
import { RestError } from './errors.ts';
import type { Operation, OperationInfo, Prepared } from './operation.ts';
import { ALL_OPERATIONS, OPERATIONS, TOKEN_OPERATION } from './operations.ts';
import {
  type Access,
  type Authenticator,
  NO_ACCESS,
  type ProviderData,
  type RestAnswer,
} from './provider.ts';

export type RestOptions = ErrorAnswers & {
  readonly data: ProviderData;
  readonly authenticator: Authenticator;
  /** The base of page URLs, before `/v2`. Default: the requested host. */
  readonly baseUrl?: string | undefined;
};

const PREFIX = '/v2';
const METHODS: readonly string[] = ['GET', 'HEAD'];
const PATHS = new RegExp(
  `^(?:${ALL_OPERATIONS.map(({ path }) => path.replace('{id}', '[^/]+')).join('|')})/?$`,
);

/** Serves all below `/v2`, with `restServerOptions`. Its log level is `warn`, as URLs of requests hold tokens. */
export async function restRoutes(app: FastifyInstance, options: RestOptions): Promise<void> {
  const { version } = options;
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new TypeError(`${version} is not major.minor.patch`);
  await app.register(
    async (v2) => {
      answerErrors(v2, options);
      v2.addHook('onRequest', (request, reply, done) => {
        // HTTP requires to reject an invalid host; page URLs contain it.
        if (!isHost(request.host)) return done(new RestError('INVALID_PARAMETER'));
        if (!request.is404) return done();
        // Answered before the body is read, which no operation uses.
        if (!isOtherMethod(request)) return done(new RestError('NOT_FOUND'));
        reply.header('allow', METHODS.join(', '));
        done(new RestError('METHOD_NOT_ALLOWED'));
      });
      for (const operation of OPERATIONS) {
        v2.get(fastifyPath(operation), (request, reply) => answer(operation, options, request, reply));
      }
      v2.get(fastifyPath(TOKEN_OPERATION), (request, reply) => answerToken(options, request, reply));
    },
    { prefix: PREFIX, logLevel: 'warn' },
  );
}

/** Whether a request without a route has the path of an operation. */
function isOtherMethod({ method, url }: FastifyRequest): boolean {
  const [path = ''] = url.split('?', 1);
  return !METHODS.includes(method) && PATHS.test(path);
}

async function answer(
  operation: Operation,
  options: RestOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const now = seconds(options.now);
  const query = request.query as JsonObject;
  const token = typeof query.token === 'string' ? query.token : null;
  const access = operation.open ? NO_ACCESS : admit(operation, token, options.authenticator, now);
  const id = operation.idName === null ? 0 : pathId(request);
  const prepared = operation.prepare(query, id, now);
  const { data, total } = await prepared.answer(options.data, access);
  // The scheme as reported by the last proxy, if the server trusts it (Fastify's `trustProxy`).
  const scheme = request.protocol === 'https' ? 'https' : 'http';
  const start = envelopeStart({
    version: options.version,
    now,
    operation,
    total: total ?? 1,
    ...pages(operation, prepared, id, total ?? 1, token, options.baseUrl ?? `${scheme}://${request.host}`),
    parameters: operation.open
      ? prepared.parameters
      : { client_id: String(access.clientId), ...prepared.parameters },
  });
  if (typeof data === 'string' || Buffer.isBuffer(data)) return send(reply, start, data);
  const parts = request.method === 'HEAD' ? [] : streamed(start, data, options);
  return answerHeaders(reply).send(Readable.from(parts));
}

/** Yields an answer in parts. A part that fails is reported and ends the connection, as the status was sent already. */
async function* streamed(
  start: string,
  data: AsyncIterable<string>,
  { onFailure }: RestOptions,
): AsyncGenerator<string, void, undefined> {
  yield start;
  try {
    yield* data;
  } catch (error) {
    onFailure?.(error);
    throw error;
  }
  yield ENVELOPE_END;
}

function admit(
  operation: Operation,
  token: string | null,
  authenticator: Authenticator,
  now: number,
): Access {
  const access = token === null ? null : authenticator.access(token, now);
  if (access === null) throw new RestError('UNAUTHORIZED');
  if (access.operations !== null && !access.operations.has(operation.name)) throw new RestError('FORBIDDEN');
  return access;
}

/** Returns the id in the path. An id that is not a whole number is unknown: throws `RestError` NOT_FOUND. */
function pathId(request: FastifyRequest): number {
  const id = toWholeNumber((request.params as { readonly id: string }).id);
  if (id === null) throw new RestError('NOT_FOUND');
  return id;
}

/** Returns the URLs of the previous and the next page, with the same token and parameters; '' if there is no such page. */
function pages(
  operation: Operation,
  { paging, query }: Prepared,
  id: number,
  total: number,
  token: string | null,
  base: string,
): { previousPage?: string; nextPage?: string } {
  if (paging === null) return {};
  const { previous, next } = neighbours(paging, total);
  const own = token === null ? query : { ...query, token };
  const url = (page: number | null) =>
    page === null ? '' : base + pathAndQuery(operation, id, { ...own, page });
  return { previousPage: url(previous), nextPage: url(next) };
}

async function answerToken(options: RestOptions, request: FastifyRequest, reply: FastifyReply) {
  const now = seconds(options.now);
  const credentials = TOKEN_OPERATION.params.safeParse(request.query);
  if (!credentials.success) throw new RestError('INVALID_PARAMETER');
  const { client_id, secret_key } = credentials.data as { client_id: string; secret_key: string };
  const granted = await options.authenticator.exchange(client_id, secret_key, now);
  if (granted === null) throw new RestError('UNAUTHORIZED');
  const { token, expiration } = granted;
  const start = envelopeStart({
    version: options.version,
    now,
    operation: TOKEN_OPERATION,
    total: 1,
    parameters: { client_id },
  });
  return send(reply, start, JSON.stringify({ client_id, token, token_expiration: expiration }));
}

/** Sends data as it is: bytes go to the socket between the parts of their envelope, as a copy would be most of the cost. */
function send(reply: FastifyReply, start: string, data: RestAnswer['data']): FastifyReply {
  if (typeof data === 'string') return answerHeaders(reply).send(start + data + ENVELOPE_END);
  const length = Buffer.byteLength(start) + data.length + ENVELOPE_END.length;
  answerHeaders(reply).header('content-length', length);
  const { raw } = reply.hijack();
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  raw.cork();
  raw.write(start);
  raw.write(data);
  raw.end(ENVELOPE_END);
  return reply;
}

function fastifyPath(operation: OperationInfo): string {
  return operation.path.slice(PREFIX.length).replace('{id}', ':id');
}

const seconds = (now: () => number): number => Math.floor(now());

/** The Host header values that are used in URLs, stricter than HTTP: no character can end the host. */
const HOST =
  /^(?:[a-z0-9_](?:[a-z0-9._-]{0,253}[a-z0-9_.])?|\[(?=[^\]]*:)[0-9a-f:.]{2,45}\])(?::(?<port>[0-9]{1,5}))?$/i;
const MAX_PORT = 65_535;

/** Whether a text is `host` or `host:port`. */
export function isHost(text: string): boolean {
  const match = HOST.exec(text);
  return match !== null && Number(match.groups?.port ?? 0) <= MAX_PORT;
}

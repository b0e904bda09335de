/**
 * The tool endpoint (spec, "Authentication" 7): `GET`, `POST` and `DELETE /mcp` over Streamable HTTP. Whoever calls is
 * looked at in this order: host and origin (403), readiness (503), token (401), rate (429), body (413), protocol. `OPTIONS`
 * needs no token: a browser asks before it sends one.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { isLegacyRequest, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProviderData } from '#contract/rest/provider.ts';
import { parseJson } from '#contract/values.ts';
import type { ToolQueries } from '#views/queries/tool-queries.ts';
import type { BoardView, Views } from '#views/store/views.ts';
import { AttemptLedger, type Refusal } from '../token-exchange/limits.ts';
import { networkOf } from '../token-exchange/subject.ts';
import { ToolAnswerCache } from './answers.ts';
import { type AccessOf, bearerOf, type Caller, challenge } from './caller.ts';
import { ChangeNotifier } from './changes.ts';
import { ALLOWED_METHODS, optionsAnswer, originHeaders } from './cross-origin.ts';
import { documentsOf } from './documents.ts';
import { Handlers } from './handlers.ts';
import { LIMITS, MAX_COUNTED, type McpLimits, WINDOW_MS } from './limits.ts';
import { listKeysOf } from './list-watch.ts';
import type { McpMetrics } from './metrics.ts';
import { McpSessions, refusal } from './sessions.ts';
import { Streams } from './streams.ts';

export type McpOptions = {
  readonly data: ProviderData;
  readonly queries: ToolQueries;
  readonly view: BoardView & Pick<Views, 'version' | 'nameVersion' | 'judgedMatches'>;
  /** Who has a token; null where it is unknown, expired or revoked, or its client is no more. */
  readonly authenticate: (bearer: string) => Caller | null;
  /** What the contract of a client covers as of now. */
  readonly accessOf: AccessOf;
  /** Names that a request may ask this server by, and that a page may come from; without ports. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Counts an admitted request of a token; for a refused one returns when the next may be sent. */
  readonly admit: (tokenId: string, at: number) => Refusal;
  /** Whether the views have caught up. */
  readonly ready: () => boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly version: string;
  readonly metrics: McpMetrics;
  readonly log: FastifyBaseLogger;
  readonly onFailure: (error: unknown) => void;
  readonly limits?: Partial<McpLimits>;
};

const PATH = '/mcp';
const METHODS = ['GET', 'POST', 'DELETE'] as const;
const OTHER_METHODS = ['HEAD', 'PUT', 'PATCH'] as const;
/** Levels of a message: whoever compares or writes a deeper one by calls runs out of stack, which is no failure of ours. */
const MAX_LEVELS = 64;
/** The head of an answer that a stream is. */
const STREAM = 'text/event-stream';

/** Serves the endpoint. Its client addresses are those of `request.ip`: whom that trusts is the server's matter. */
export async function mcpEndpoint(app: FastifyInstance, options: McpOptions): Promise<void> {
  await app.register(async (scope) => new Endpoint(scope, options));
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls the tool endpoint; null elsewhere. */
    caller: Caller | null;
  }
}

class Endpoint {
  readonly #options: McpOptions;
  readonly #limits: McpLimits;
  readonly #changes: ChangeNotifier;
  readonly #handlers: Handlers;
  readonly #sessions: McpSessions;
  readonly #streams: Streams;
  readonly #byAddress: AttemptLedger;

  constructor(scope: FastifyInstance, options: McpOptions) {
    const { data, view, metrics, now, version, queries } = options;
    const limits = { ...LIMITS, ...options.limits };
    this.#options = options;
    this.#limits = limits;
    this.#byAddress = new AttemptLedger(limits.requestsPerAddress, MAX_COUNTED, WINDOW_MS);
    const { accessOf } = options;
    const documents = documentsOf(data, version);
    this.#changes = new ChangeNotifier({
      view,
      accessOf,
      now,
      competitionOf: queries.competitionOf,
      listsOf: (access) =>
        listKeysOf(documents, { data, queries, access, now: now() / 1000 }, view.nameVersion),
    });
    const context = { ...options, documents, answers: new ToolAnswerCache(() => view.version) };
    const shared = { context, changes: this.#changes, limits };
    this.#handlers = new Handlers(shared);
    this.#sessions = new McpSessions(shared);
    this.#streams = new Streams({ limits, metrics, now });
    const sweeping = setInterval(() => this.#sweep(), limits.sweepMs).unref();
    scope.addHook('preClose', async () => {
      clearInterval(sweeping);
      this.#changes.close();
      await Promise.all([this.#handlers.close(), this.#sessions.close()]);
    });
    this.#routes(scope);
  }

  #routes(scope: FastifyInstance): void {
    scope.decorateRequest('caller', null);
    scope.removeAllContentTypeParsers();
    // Passed on unchanged: the protocol has its own errors for an invalid one.
    scope.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: this.#limits.maxBodyBytes },
      (_request, body, done) => done(null, body),
    );
    scope.addHook('onRequest', async (request, reply) => this.#admit(request, reply));
    scope.addHook('onResponse', async ({ method }, reply) => {
      const labels = { method, status: String(reply.statusCode) };
      this.#options.metrics.requestSeconds.observe(labels, reply.elapsedTime / 1000);
    });
    scope.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) => {
      const status = error.statusCode ?? 500;
      if (status < 500) return send(reply, refusal(status, error.message));
      this.#options.log.error({ err: error }, 'a request of the tool endpoint failed');
      this.#options.onFailure(error);
      return send(reply, refusal(500, 'The server failed. Try again later.'));
    });
    scope.route({
      method: [...METHODS],
      url: PATH,
      exposeHeadRoute: false,
      handler: (request, reply) => this.#answer(request, reply),
    });
    scope.route({
      method: [...OTHER_METHODS],
      url: PATH,
      handler: (_request, reply) => send(reply, notAllowed('Method not allowed')),
    });
    // `#admit` answers it.
    scope.route({ method: 'OPTIONS', url: PATH, handler: async () => {} });
  }

  /** Refuses unauthorized requests, and remembers the caller of the others. */
  async #admit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const { allowedHosts, allowedOrigins, authenticate, admit, ready, now, metrics } = this.#options;
    const refuse = (reason: string, response: Response): Promise<FastifyReply> => {
      metrics.refused.inc({ reason });
      return send(reply, response);
    };
    const { host, origin, authorization } = request.headers;
    if (!validateHostHeader(host, [...allowedHosts]).ok)
      return refuse('host', refusal(403, 'Host not allowed'));
    if (!validateOriginHeader(origin, [...allowedOrigins]).ok)
      return refuse('origin', refusal(403, 'Origin not allowed'));
    reply.headers(originHeaders(origin));
    if (request.method === 'OPTIONS') return send(reply, optionsAnswer());
    if (!ready()) return refuse('not_ready', refusal(503, 'Not ready yet', { 'retry-after': '1' }));
    const bearer = bearerOf(authorization);
    const caller = bearer === null ? null : authenticate(bearer);
    if (caller === null) {
      const full = this.#byAddress.apply(networkOf(request.ip) ?? request.ip, now());
      if (full !== null) return refuse('address_rate', tooMany(full.retryAt - now()));
      const headers = { 'www-authenticate': challenge(authorization) };
      return refuse(
        'token',
        refusal(401, 'A personal access token is needed: Authorization: Bearer <token>', headers),
      );
    }
    const full = admit(caller.tokenId, now());
    if (full !== null) return refuse('token_rate', tooMany(full.retryAt - now()));
    request.caller = caller;
    return undefined;
  }

  async #answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { caller, method } = request;
    if (caller === null) throw new TypeError('a request that was not let in');
    const { body: text } = request;
    const body = method === 'POST' && typeof text === 'string' ? parseJson(text) : undefined;
    if (method === 'POST' && body === undefined) return send(reply, parseError());
    if (Array.isArray(body))
      return send(reply, refusal(400, 'Batches are not served: send one message in each request'));
    if (nestsDeeper(body, MAX_LEVELS))
      return send(reply, refusal(400, `The message nests deeper than ${MAX_LEVELS} levels`));
    const problem = this.#streamProblem(method, body, caller);
    if (problem !== null) return send(reply, problem);
    const gone = new AbortController();
    reply.raw.once('close', () => {
      // An abort costs errors with their stacks: only where there is something to give up.
      if (!reply.raw.writableFinished) gone.abort();
    });
    const web = webRequest(request, gone.signal);
    // A GET or DELETE without a session belongs to no revision: clients open streams by POST now.
    if (method !== 'POST' && !('mcp-session-id' in request.headers))
      return send(reply, notAllowed(`${method} is for sessions: send Mcp-Session-Id, or use POST`));
    const response = (await isLegacyRequest(web, body))
      ? await this.#sessions.answer(web, body, caller)
      : await this.#handlers.answer(web, body, caller);
    if (!isStream(response)) return send(reply, response);
    return this.#stream(request, reply, response, caller);
  }

  /** Sends a stream for as long as it may last. */
  #stream(request: FastifyRequest, reply: FastifyReply, response: Response, caller: Caller): FastifyReply {
    const { authenticate } = this.#options;
    const bearer = bearerOf(request.headers.authorization) ?? '';
    const { raw } = reply.hijack();
    const { origin } = request.headers;
    raw.writeHead(response.status, { ...Object.fromEntries(response.headers), ...originHeaders(origin) });
    raw.flushHeaders();
    this.#streams.add(caller, raw, () => authenticate(bearer) !== null);
    Readable.fromWeb(response.body as import('node:stream/web').ReadableStream)
      .on('error', () => raw.destroy())
      .pipe(raw)
      .on('error', () => raw.destroy());
    return reply;
  }

  /** Why a stream that is asked for cannot be had; null where it can, or none is asked for. */
  #streamProblem(method: string, body: unknown, caller: Caller): Response | null {
    const listen = listened(body);
    if (method !== 'GET' && listen === null) return null;
    if (!this.#streams.admits(caller)) return refusal(429, 'Too many open streams: close some');
    const { maxSubscriptions } = this.#limits;
    return (listen ?? 0) > maxSubscriptions
      ? refusal(400, `Too many resources: subscribe to ${maxSubscriptions} at most`)
      : null;
  }

  #sweep(): void {
    this.#streams.sweep();
    this.#sessions.sweep();
  }
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => nestsDeeper(inner, levels - 1));
}

/** How many resources a request subscribes to; null for another request. */
function listened(body: unknown): number | null {
  if (typeof body !== 'object' || body === null || !('method' in body)) return null;
  if (body.method !== 'subscriptions/listen') return null;
  const { params } = body as { params?: { notifications?: { resourceSubscriptions?: unknown } } };
  const uris = params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) ? uris.length : 0;
}

function isStream(response: Response): boolean {
  return response.body !== null && (response.headers.get('content-type') ?? '').startsWith(STREAM);
}

function webRequest({ raw, method, headers }: FastifyRequest, signal: AbortSignal): Request {
  return new Request(`http://localhost${raw.url}`, { method, headers: headersOf(headers), signal });
}

/** The token stays here: whatever is behind needs to know the caller, not the token. */
function headersOf({ authorization: _, ...headers }: IncomingHttpHeaders): Headers {
  const kept = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) kept.set(name, Array.isArray(value) ? value.join(', ') : value);
  return kept;
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const body = response.body === null ? null : await response.text();
  reply
    .code(response.status)
    .headers(Object.fromEntries(response.headers))
    .header('cache-control', 'no-store');
  return body === null ? reply.send() : reply.send(body);
}

function tooMany(waitMs: number): Response {
  const seconds = Math.ceil(waitMs / 1000);
  return refusal(429, `Too many requests: try again in ${seconds} s`, { 'retry-after': String(seconds) });
}

function notAllowed(message: string): Response {
  return refusal(405, message, { allow: ALLOWED_METHODS });
}

function parseError(): Response {
  const error = { code: -32_700, message: 'Parse error: the body is not JSON' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 });
}

/**
 * The tool endpoint (spec, "Authentication" 7) over Streamable HTTP. Checked in order: host and origin (403), readiness (503),
 * token (401), rate (429), body (413), protocol. `OPTIONS` comes before the token.
 */
import { Readable } from 'node:stream';
import { normalizeIP } from '@fastify/rate-limit';
import { isLegacyRequest, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { object } from '#domain/values.ts';
import { parseJson } from '#json/values.ts';
import type { BoardView, Views } from '#views/store/views.ts';
import { RollingLimit } from '../rolling-limit.ts';
import { SERVER_FAILED } from './answers.ts';
import { ALLOWED_METHODS, bearerOf, type Caller, challenge, optionsAnswer, originHeaders } from './caller.ts';
import { ChangeNotifier } from './changes.ts';
import { documentsOf } from './resources.ts';
import { LIMITS, type McpLimits, type ServerContext, WINDOW_MS } from './server.ts';
import { McpSessions, mcpStreams, refusal, statelessHandlers } from './sessions.ts';

export type McpOptions = Omit<ServerContext, 'documents' | 'limits'> & {
  readonly view: BoardView & Pick<Views, 'nameVersion' | 'health'>;
  /** Returns the owner of a token; null if the token is unknown, expired or revoked, or its client no longer exists. */
  readonly authenticate: (bearer: string) => Caller | null;
  /** Host names of this server, and of pages that may call it; without ports. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Whether the views have caught up. */
  readonly ready: () => boolean;
  readonly limits?: Partial<McpLimits>;
};

const PATH = '/mcp';
const OTHER_METHODS: readonly string[] = ['HEAD', 'PUT', 'PATCH'];
/** Maximum nesting of a message: recursive code would overflow the stack on a deeper one. */
const MAX_LEVELS = 64;
const STREAM_TYPE = 'text/event-stream';

/** What the SDK wants a client of an earlier revision to accept. Its answer to POST is JSON nevertheless. */
const BOTH_TYPES = `application/json, ${STREAM_TYPE}`;

/** Registers the endpoint. Client addresses are those of `request.ip`: `app` decides which proxies to trust. */
export async function mcpEndpoint(app: FastifyInstance, options: McpOptions): Promise<void> {
  await app.register(async (scope) => new Endpoint(scope, options));
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of the tool endpoint; null on other routes. */
    caller: Caller | null;
  }
}

class Endpoint {
  readonly #options: McpOptions;
  readonly #limits: McpLimits;
  readonly #changes: ChangeNotifier;
  readonly #handlers: ReturnType<typeof statelessHandlers>;
  readonly #sessions: McpSessions;
  readonly #streams: ReturnType<typeof mcpStreams>;
  readonly #byAddress: RollingLimit;
  readonly #byToken: RollingLimit;

  constructor(scope: FastifyInstance, options: McpOptions) {
    const limits = { ...LIMITS, ...options.limits };
    this.#options = options;
    this.#limits = limits;
    this.#byAddress = new RollingLimit(limits.requestsPerAddress, WINDOW_MS);
    this.#byToken = new RollingLimit(limits.requestsPerToken, WINDOW_MS);
    const context = { ...options, documents: documentsOf(options.data, options.version), limits };
    this.#changes = new ChangeNotifier(context, options.view);
    this.#handlers = statelessHandlers(context, this.#changes);
    this.#sessions = new McpSessions(context, this.#changes);
    this.#streams = mcpStreams(context);
    const sweeping = setInterval(() => {
      this.#streams.sweep();
      this.#sessions.sweep();
    }, limits.sweepMs).unref();
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
    // Passes the text on: the protocol has its own error for invalid JSON.
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
      return send(reply, refusal(500, SERVER_FAILED));
    });
    // `#admit` answers OPTIONS.
    scope.route({
      method: ['GET', 'POST', 'DELETE', 'OPTIONS', ...OTHER_METHODS],
      url: PATH,
      handler: (request, reply) =>
        OTHER_METHODS.includes(request.method)
          ? send(reply, notAllowed('Method not allowed'))
          : this.#answer(request, reply),
    });
  }

  /** Refuses a request that may not enter; else sets its caller. */
  async #admit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const { allowedHosts, allowedOrigins, authenticate, ready, now, metrics } = this.#options;
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
      const waitMs = this.#byAddress.admit(normalizeIP(request.ip), now());
      if (waitMs > 0) return refuse('address_rate', tooMany(waitMs));
      const headers = { 'www-authenticate': challenge(authorization) };
      return refuse(
        'token',
        refusal(401, 'A personal access token is needed: Authorization: Bearer <token>', headers),
      );
    }
    const waitMs = this.#byToken.admit(caller.tokenId, now());
    if (waitMs > 0) return refuse('token_rate', tooMany(waitMs));
    request.caller = caller;
    return undefined;
  }

  async #answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { method } = request;
    const caller = request.caller as Caller;
    const body = method === 'POST' ? parseMessage(request.body) : undefined;
    if (method === 'POST' && body === undefined)
      return send(reply, refusal(400, 'Parse error: the body is not JSON', {}, -32_700));
    if (Array.isArray(body))
      return send(reply, refusal(400, 'Batches are not served: send one message in each request'));
    if (nestsDeeper(body, MAX_LEVELS))
      return send(reply, refusal(400, `The message nests deeper than ${MAX_LEVELS} levels`));
    const problem = this.#streamProblem(method, body, caller);
    if (problem !== null) return send(reply, problem);
    // No revision has a GET or DELETE without a session: since 2026-07-28 clients open streams by POST.
    if (method !== 'POST' && !('mcp-session-id' in request.headers))
      return send(reply, notAllowed(`${method} is for sessions: send Mcp-Session-Id, or use POST`));
    const disconnected = new AbortController();
    reply.raw.once('close', () => {
      // An abort creates errors with stacks, so it is skipped when the answer is complete.
      if (!reply.raw.writableFinished) disconnected.abort();
    });
    const web = webRequest(request, disconnected.signal);
    const isLegacy = await isLegacyRequest(web, body);
    if (isLegacy && method === 'POST' && acceptsJson(request.headers.accept))
      web.headers.set('accept', BOTH_TYPES);
    const response = isLegacy
      ? await this.#sessions.answer(web, body, caller)
      : await this.#handlers.answer(web, body, caller);
    if (!isStream(response)) return send(reply, response);
    return this.#stream(request, reply, response, caller);
  }

  /** Sends a stream until the client, or a sweep, closes its connection. */
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

  /** Returns the refusal of a requested stream; null if it may be opened, or none is requested. */
  #streamProblem(method: string, body: unknown, caller: Caller): Response | null {
    const message = object(body);
    if (method !== 'GET' && message?.method !== 'subscriptions/listen') return null;
    if (!this.#streams.admits(caller)) return refusal(429, 'Too many open streams: close some');
    const uris = object(object(message?.params)?.notifications)?.resourceSubscriptions;
    const { maxSubscriptions } = this.#limits;
    return Array.isArray(uris) && uris.length > maxSubscriptions
      ? refusal(400, `Too many resources: subscribe to ${maxSubscriptions} at most`)
      : null;
  }
}

/** Whether a client reads JSON: it says so, accepts anything, or says nothing (RFC 9110, 12.5.1). */
function acceptsJson(accept = '*/*'): boolean {
  return /(?:^|,)\s*(?:\*|application)\/(?:\*|json)\s*(?:;|,|$)/i.test(accept);
}

/** Parses a message without the nulls of its `params`, which some clients send for what they leave out; undefined if it is not JSON. */
function parseMessage(text: unknown): unknown {
  const message = parseJson(String(text));
  const fields = object(message);
  if (fields === null || !('params' in fields) || nestsDeeper(message, MAX_LEVELS)) return message;
  const { params, ...others } = fields;
  if (params === null) return others;
  const given = JSON.parse(JSON.stringify(params), (_name, value) => value ?? undefined);
  return { ...others, params: given };
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => nestsDeeper(inner, levels - 1));
}

function isStream(response: Response): boolean {
  return response.body !== null && (response.headers.get('content-type') ?? '').startsWith(STREAM_TYPE);
}

/** Returns the request without its token: the code behind the endpoint needs the caller only. */
function webRequest({ raw, method, headers }: FastifyRequest, signal: AbortSignal): Request {
  const { authorization: _, ...others } = headers;
  const passed = Object.entries(others).map(([name, value]) => [name, String(value)] as [string, string]);
  return new Request(`http://localhost${raw.url}`, { method, headers: passed, signal });
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const body = response.body === null ? undefined : await response.text();
  return reply
    .code(response.status)
    .headers(Object.fromEntries(response.headers))
    .header('cache-control', 'no-store')
    .send(body);
}

function tooMany(waitMs: number): Response {
  const seconds = Math.ceil(waitMs / 1000);
  return refusal(429, `Too many requests: try again in ${seconds} s`, { 'retry-after': String(seconds) });
}

function notAllowed(message: string): Response {
  return refusal(405, message, { allow: ALLOWED_METHODS });
}

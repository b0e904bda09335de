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
import type { Views } from '#views/store/views.ts';
import { RollingLimit } from '../rolling-limit.ts';
import { ALLOWED_METHODS, bearerOf, type Caller, challenge, optionsAnswer, originHeaders } from './caller.ts';
import { changeNotifier } from './changes.ts';
import { documentsOf } from './resources.ts';
import { LIMITS, type McpLimits, type ServerContext, WINDOW_MS } from './server.ts';
import { mcpSessions, mcpStreams, refusal, statelessHandlers } from './sessions.ts';
import { SERVER_FAILED } from './tools/tool.ts';

export type McpOptions = Omit<ServerContext, 'documents' | 'limits'> & {
  readonly view: Views;
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

type EndpointContext = ServerContext & Omit<McpOptions, 'limits'>;

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of the tool endpoint; null on other routes. */
    caller: Caller | null;
  }
}

/** Registers the endpoint. Client addresses are those of `request.ip`: `app` decides which proxies to trust. */
export async function mcpEndpoint(app: FastifyInstance, options: McpOptions): Promise<void> {
  await app.register(async (scope) => {
    const limits = { ...LIMITS, ...options.limits };
    const context = { ...options, documents: documentsOf(options.data, options.version), limits };
    const { metrics, log, onFailure } = options;
    scope.decorateRequest('caller', null);
    scope.removeAllContentTypeParsers();
    // Passes the text on: the protocol has its own error for invalid JSON.
    scope.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: limits.maxBodyBytes },
      (_request, body, done) => done(null, body),
    );
    scope.addHook('onRequest', admission(context));
    scope.addHook('onResponse', async ({ method }, reply) => {
      const labels = { method, status: String(reply.statusCode) };
      metrics.requestSeconds.observe(labels, reply.elapsedTime / 1000);
    });
    scope.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) => {
      const status = error.statusCode ?? 500;
      if (status < 500) return send(reply, refusal(status, error.message));
      log.error({ err: error }, 'a request of the tool endpoint failed');
      onFailure(error);
      return send(reply, refusal(500, SERVER_FAILED));
    });
    scope.route({
      // `admission` answers OPTIONS.
      method: ['GET', 'POST', 'DELETE', 'OPTIONS', ...OTHER_METHODS],
      url: PATH,
      handler: answering(scope, context),
    });
  });
}

/** Returns the hook that refuses a request which may not enter; else it sets the caller. */
function admission({ limits, ...context }: EndpointContext) {
  const { allowedHosts, allowedOrigins, authenticate, ready, now, metrics } = context;
  const byAddress = new RollingLimit(limits.requestsPerAddress, WINDOW_MS);
  const byToken = new RollingLimit(limits.requestsPerToken, WINDOW_MS);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
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
      const waitMs = byAddress.admit(normalizeIP(request.ip), now());
      if (waitMs > 0) return refuse('address_rate', tooMany(waitMs));
      const headers = { 'www-authenticate': challenge(authorization) };
      return refuse(
        'token',
        refusal(401, 'A personal access token is needed: Authorization: Bearer <token>', headers),
      );
    }
    const waitMs = byToken.admit(caller.tokenId, now());
    if (waitMs > 0) return refuse('token_rate', tooMany(waitMs));
    request.caller = caller;
    return undefined;
  };
}

/** Returns the handler of admitted requests. What it keeps ends with the server of `scope`. */
function answering(scope: FastifyInstance, context: EndpointContext) {
  const changes = changeNotifier(context, context.view);
  const handlers = statelessHandlers(context, changes);
  const sessions = mcpSessions(context, changes);
  const streams = mcpStreams(context);
  const sweeping = setInterval(() => {
    streams.sweep();
    sessions.sweep();
  }, context.limits.sweepMs).unref();
  scope.addHook('preClose', async () => {
    clearInterval(sweeping);
    changes.close();
    await Promise.all([handlers.close(), sessions.close()]);
  });
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { method, headers } = request;
    const caller = request.caller as Caller;
    const given = method === 'POST' ? parseJson(String(request.body)) : undefined;
    const problem = requestProblem(request, given) ?? streams.problem(method, given, caller);
    if (problem !== null) return send(reply, problem);
    const body = withoutNulls(given);
    const disconnected = new AbortController();
    const web = webRequest(request, disconnected.signal);
    reply.raw.once('close', () => {
      // An abort creates errors with stacks, so it is skipped when the answer is complete. `web` is named, as its signal is not aborted
      // once nothing refers to it (Node 24), and a stream lives longer than its request.
      if (!reply.raw.writableFinished && !web.signal.aborted) disconnected.abort();
    });
    const isLegacy = await isLegacyRequest(web, body);
    if (isLegacy && method === 'POST' && acceptsJson(headers.accept)) web.headers.set('accept', BOTH_TYPES);
    const response = await (isLegacy ? sessions : handlers).answer(web, body, caller);
    if (!isStream(response)) return send(reply, response);
    const bearer = bearerOf(headers.authorization) ?? '';
    streams.add(caller, sendStream(request, reply, response), () => context.authenticate(bearer) !== null);
    return reply;
  };
}

/** Sends a stream until its client, or a sweep, closes the connection, which it returns. */
function sendStream({ headers }: FastifyRequest, reply: FastifyReply, response: Response) {
  const { raw } = reply.hijack();
  const sent = { ...Object.fromEntries(response.headers), ...originHeaders(headers.origin) };
  raw.writeHead(response.status, sent);
  raw.flushHeaders();
  Readable.fromWeb(response.body as import('node:stream/web').ReadableStream)
    .on('error', () => raw.destroy())
    .pipe(raw)
    .on('error', () => raw.destroy());
  return raw;
}

/** Returns the refusal of a request that no revision has; null for others. `body`: undefined if it is not JSON. */
function requestProblem({ method, headers }: FastifyRequest, body: unknown): Response | null {
  if (OTHER_METHODS.includes(method)) return notAllowed('Method not allowed');
  if (method === 'POST' && body === undefined)
    return refusal(400, 'Parse error: the body is not JSON', {}, -32_700);
  if (Array.isArray(body)) return refusal(400, 'Batches are not served: send one message in each request');
  if (nestsDeeper(body, MAX_LEVELS))
    return refusal(400, `The message nests deeper than ${MAX_LEVELS} levels`);
  // No revision has a GET or DELETE without a session: since 2026-07-28 clients open streams by POST.
  return method === 'POST' || 'mcp-session-id' in headers
    ? null
    : notAllowed(`${method} is for sessions: send Mcp-Session-Id, or use POST`);
}

/** Whether a client reads JSON: it says so, accepts anything, or says nothing (RFC 9110, 12.5.1). */
function acceptsJson(accept = '*/*'): boolean {
  return /(?:^|,)\s*(?:\*|application)\/(?:\*|json)\s*(?:;|,|$)/i.test(accept);
}

/** Returns a message without the nulls of its `params`, which some clients send for what they leave out. */
function withoutNulls(message: unknown): unknown {
  const { params, ...others } = object(message) ?? {};
  if (params === undefined) return message;
  if (params === null) return others;
  return { ...others, params: JSON.parse(JSON.stringify(params), (_name, value) => value ?? undefined) };
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

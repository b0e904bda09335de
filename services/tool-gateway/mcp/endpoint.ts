/**
 * The tool endpoint (spec, "Authentication" 7) over Streamable HTTP, without sessions and streams: every replica answers every request
 * (docs/decisions/0053). Checked in order: host and origin (403), readiness (503), token (401), rate (429), method (405), body (413),
 * protocol. `OPTIONS` comes before the token.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { normalizeIP } from '@fastify/rate-limit';
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  validateHostHeader,
  validateOriginHeader,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { object } from '#domain/values.ts';
import { parseJson } from '#json/values.ts';
import { RollingLimit } from '../rolling-limit.ts';
import { ALLOWED_METHODS, bearerOf, type Caller, challenge, optionsAnswer, originHeaders } from './caller.ts';
import { createServer, SERVER_FAILED, type ServerContext } from './server.ts';

/** Dependencies of the endpoint. */
export type McpOptions = ServerContext & {
  /** Returns the owner of a token; null if the token is unknown, expired or revoked, or its client no longer exists. */
  readonly authenticate: (bearer: string) => Caller | null;
  /** Host names of this server, and of pages that may call it; without ports. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Whether the views have caught up. */
  readonly ready: () => boolean;
  readonly limits?: Partial<typeof LIMITS>;
};

/** Limits of the endpoint: those of the spec ("Limits"), and our own where the spec has none. */
export const LIMITS = {
  requestsPerToken: 120,
  /** Requests without a valid token of one address in a rolling minute. */
  requestsPerAddress: 60,
  maxBodyBytes: 64 * 1024,
};

/** The window of both rates, milliseconds. */
const WINDOW_MS = 60_000;
const PATH = '/mcp';
const OTHER_METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const;
/** Maximum nesting of a message: recursive code would overflow the stack on a deeper one. */
const MAX_LEVELS = 64;

/** What the SDK wants a client of an earlier revision to accept. Its answer is JSON nevertheless. */
const BOTH_TYPES = 'application/json, text/event-stream';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of the tool endpoint; null on other routes. */
    caller: Caller | null;
  }
}

/** Registers the endpoint. Client addresses are those of `request.ip`: `app` decides which proxies to trust. */
export async function mcpEndpoint(app: FastifyInstance, options: McpOptions): Promise<void> {
  const { metrics, log, onFailure } = options;
  const limits = { ...LIMITS, ...options.limits };
  const admit = admission(options, limits);
  await app.register(async (scope) => {
    scope.decorateRequest('caller', null);
    scope.removeAllContentTypeParsers();
    // Passes the text on: the protocol has its own error for invalid JSON.
    scope.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: limits.maxBodyBytes },
      (_request, body, done) => done(null, body),
    );
    scope.addHook('onRequest', admit);
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
    scope.post(PATH, async (request, reply) => send(reply, await answer(request, options)));
    scope.route({
      method: [...OTHER_METHODS],
      url: PATH,
      exposeHeadRoute: false,
      handler: (_request, reply) =>
        send(reply, refusal(405, 'Method not allowed: use POST', { allow: ALLOWED_METHODS })),
    });
    // Admission answers it.
    scope.route({ method: 'OPTIONS', url: PATH, handler: async () => {} });
  });
}

/** Returns the hook that refuses a request that may not enter; else sets its caller. */
function admission(
  { allowedHosts, allowedOrigins, authenticate, ready, now, metrics }: McpOptions,
  limits: typeof LIMITS,
) {
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

async function answer(
  { caller, body: text, headers, url }: FastifyRequest,
  context: ServerContext,
): Promise<Response> {
  if (caller === null) throw new TypeError('the request was not admitted');
  const body = typeof text === 'string' ? withArguments(parseJson(text)) : undefined;
  if (body === undefined) return parseError();
  if (Array.isArray(body)) return refusal(400, 'Batches are not served: send one message in each request');
  if (nestsDeeper(body, MAX_LEVELS))
    return refusal(400, `The message nests deeper than ${MAX_LEVELS} levels`);
  const request = new Request(`http://localhost${url}`, { method: 'POST', headers: headersOf(headers) });
  if (await isLegacyRequest(request, body)) {
    if (acceptsJson(headers.accept)) request.headers.set('accept', BOTH_TYPES);
    return answerEarlier(createServer(context, caller), request, body);
  }
  const handler = createMcpHandler(() => createServer(context, caller), {
    legacy: 'reject',
    maxSubscriptions: 0,
    onerror: (error) => context.log.debug({ err: error }, 'a request of the protocol was refused'),
  });
  return handler.fetch(request, { parsedBody: body });
}

/** Answers a request of a revision before 2026-07-28, as if it had no session. */
async function answerEarlier(server: Server, request: Request, body: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

/** Whether a client reads JSON: it says so, accepts anything, or says nothing (RFC 9110, 12.5.1). */
function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || /(?:^|,)\s*(?:\*|application)\/(?:\*|json)\s*(?:;|,|$)/i.test(accept);
}

/** Leaves out `params` and `arguments` of null. */
function withArguments(body: unknown): unknown {
  const message = object(body);
  if (message === null) return body;
  const { params: sent, ...others } = message;
  if (sent === null) return others;
  const { arguments: given, ...rest } = object(sent) ?? {};
  return given === null ? { ...others, params: rest } : message;
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => nestsDeeper(inner, levels - 1));
}

/** Returns all headers but the token: the code behind the endpoint needs the caller only. */
function headersOf({ authorization: _, ...headers }: IncomingHttpHeaders): Headers {
  const passed = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) passed.set(name, Array.isArray(value) ? value.join(', ') : value);
  return passed;
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const body = response.body === null ? undefined : await response.text();
  return reply
    .code(response.status)
    .headers(Object.fromEntries(response.headers))
    .header('cache-control', 'no-store')
    .send(body);
}

/** Creates an HTTP error whose JSON-RPC error belongs to no request of the protocol (`id` is null). */
function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status, headers });
}

function tooMany(waitMs: number): Response {
  const seconds = Math.ceil(waitMs / 1000);
  return refusal(429, `Too many requests: try again in ${seconds} s`, { 'retry-after': String(seconds) });
}

function parseError(): Response {
  const error = { code: -32_700, message: 'Parse error: the body is not JSON' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 });
}

/** Creates every HTTP server of Touchline, with limits of time, connections and bytes, and with common headers. */
import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Logger } from './logger.ts';
import { followCertificate, readServerTls, type ServerTlsFiles } from './server-tls.ts';

// An import reads every export, and so loads Node's own undici for `WebSocket`: 40 ms of the processor in every process.
const { createServer, ServerResponse } = process.getBuiltinModule('node:http');

/** Default timeout of a request. */
const REQUEST_MS = 10_000;
/** Number of checks for slow requests within the timeout. */
const CHECKS = 20;
/** Timeout of an idle connection: longer than that of load balancers. */
const KEEP_ALIVE_MS = 72_000;
/** Maximum number of open connections of a server; further ones are closed at once. */
const MAX_CONNECTIONS = 10_000;
/** Maximum size of a body for routes without their own limit, bytes. */
const BODY_LIMIT = 64 * 1024;
/** Minimum interval between warnings about closed connections. */
const WARN_MS = 60_000;

/** Headers of every answer; a route may override their values. */
const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

/** Header of every answer over TLS; browsers then insist on TLS for a year. */
const STRICT_TRANSPORT = ['strict-transport-security', 'max-age=31536000'] as const;
const HTTPS_HEADERS = { ...HEADERS, [STRICT_TRANSPORT[0]]: STRICT_TRANSPORT[1] };

export type HttpServerOptions = {
  /** Timeout for a complete request, milliseconds; after it the server answers 408. Default: 10,000. */
  readonly requestMs?: number | undefined;
  /** Maximum number of connections; null if the service limits them itself. Default: 10,000. */
  readonly maxConnections?: number | null;
  /** Certificate for HTTPS; null: plain HTTP. Default: null. */
  readonly tls?: ServerTlsFiles | null;
  /** Whether clients use https through a proxy. The server's own TLS is detected by connection. */
  readonly https?: boolean;
  /** After its abort each answer closes its connection, so that proxies keep none to a stopping server. */
  readonly draining?: AbortSignal | undefined;
  /** Receives a warning when connections above the limit are closed. */
  readonly log?: Pick<Logger, 'warn'>;
};

/** Creates a server that does not listen yet. Throws `SecretFileError`. */
export function createHttpServer(options: HttpServerOptions, listener?: RequestListener): Server {
  const { requestMs = REQUEST_MS, maxConnections = MAX_CONNECTIONS, https = false, log } = options;
  const { tls = null, draining } = options;
  const settings = {
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: Math.ceil(requestMs / CHECKS),
    keepAliveTimeout: KEEP_ALIVE_MS,
    ServerResponse: responseClass(https),
  };
  const server = tls === null ? createServer(settings, listener) : createTls(tls, settings, listener);
  refuseSeveralHosts(server);
  if (draining !== undefined)
    server.prependListener('request', (_request, response) => {
      if (draining.aborted) response.shouldKeepAlive = false;
    });
  if (maxConnections === null) return server;
  server.maxConnections = maxConnections;
  let warnedAt = Number.NEGATIVE_INFINITY;
  return server.on('drop', () => {
    if (performance.now() - warnedAt < WARN_MS) return;
    warnedAt = performance.now();
    log?.warn({ code: 'CONNECTIONS_DROPPED', maxConnections }, 'connections above the limit are closed');
  });
}

/** Events with which a server passes on the head of a request. */
const HEAD_EVENTS: readonly string[] = ['request', 'checkContinue', 'checkExpectation'];

/** Refuses a request with several `Host` headers as RFC 9112, 3.2, says: a proxy may have decided by another than Node's first. */
function refuseSeveralHosts(server: Server): void {
  const emit: (event: string, ...args: unknown[]) => boolean = server.emit.bind(server);
  server.emit = (event: string, ...args: unknown[]): boolean => {
    if (!HEAD_EVENTS.includes(event)) return emit(event, ...args);
    const { rawHeaders, socket } = args[0] as IncomingMessage;
    // Names and values by turns.
    const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name));
    if (hosts.length < 2) return emit(event, ...args);
    const error = Object.assign(new Error('several Host headers'), { code: 'HPE_USER' });
    if (!emit('clientError', error, socket)) refuseBadRequest(error, socket);
    return true;
  };
}

function createTls(
  files: ServerTlsFiles,
  settings: ServerOptions & { headersTimeout: number },
  listener?: RequestListener,
) {
  // During a handshake no request has begun, so the request timeouts do not apply.
  const handshakeTimeout = settings.headersTimeout;
  const server = createTlsServer({ ...settings, ...readServerTls(files), handshakeTimeout }, listener);
  // Before other listeners, which may answer errors: an answer would wait for the handshake and keep the connection open.
  server.prependListener('tlsClientError', (_error, socket) => socket.destroy());
  followCertificate(server, files);
  return server;
}

/** Returns options of `fastify(...)` for a server of `createHttpServer`. */
export function fastifyServer(options: HttpServerOptions) {
  return {
    serverFactory: (handler: RequestListener) => createHttpServer(options, handler),
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
  };
}

/** An `onRequest` hook for servers with `trustProxy`: sends `strict-transport-security` where a proxy says that the client uses https. */
export function strictTransport(
  { protocol }: { readonly protocol: string },
  reply: { header(name: string, value: string): unknown },
  done: () => void,
): void {
  if (protocol === 'https') reply.header(...STRICT_TRANSPORT);
  done();
}

/** Returns the text of an answer that is written to a socket without a `ServerResponse`; it closes the connection. */
export function rawAnswer(
  status: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const lines = Object.entries({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...HEADERS,
    ...headers,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Statuses for invalid requests, by the code of Node's error; 400 for other codes. */
const BAD_REQUESTS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Answers an invalid request. Fastify's own handler would log the error, which contains the received bytes. */
export function refuseBadRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  const status = BAD_REQUESTS[error.code ?? ''] ?? '400 Bad Request';
  refuseWith(error, socket, () => rawAnswer(status, JSON.stringify({ error: 'bad_request' })));
}

/** Closes the connection of an invalid request, after `answer` if it can still be written. */
export function refuseWith(error: NodeJS.ErrnoException, socket: Socket, answer: () => string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else socket.end(answer(), () => socket.destroy());
}

function responseClass(https: boolean): typeof ServerResponse {
  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    // biome-ignore lint/suspicious/noExplicitAny: the overloads of Node.
    override writeHead(...args: any): this {
      const common = https || 'encrypted' in this.req.socket ? HTTPS_HEADERS : HEADERS;
      for (const [name, value] of Object.entries(common))
        if (!this.hasHeader(name)) this.setHeader(name, value);
      return super.writeHead.apply(this, args);
    }
  };
}

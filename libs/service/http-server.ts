/** Every HTTP server of Touchline is made here: with limits of time, connections and bytes, and with the headers of every answer. */
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Logger } from './logger.ts';
import { followCertificate, readServerTls, type ServerTlsFiles } from './server-tls.ts';

const REQUEST_MS = 10_000;
/** How often slow requests are looked for within that time. */
const CHECKS = 20;
/** How long an idle connection is kept, milliseconds: longer than load balancers keep theirs. */
const KEEP_ALIVE_MS = 72_000;
/** Open connections of one server; one more is closed at once. */
const MAX_CONNECTIONS = 10_000;
/** Largest body, bytes, of a route without a limit of its own. */
const BODY_LIMIT = 64 * 1024;
/** A warning about closed connections is logged at most this often, milliseconds. */
const WARN_MS = 60_000;

/** Of an answer that only programs read. */
export const TEXT_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** Headers of every answer; a route may set other values. */
const HEADERS = {
  ...TEXT_HEADERS,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

/** Of answers over TLS: a year. */
const HTTPS_HEADERS = { ...HEADERS, 'strict-transport-security': 'max-age=31536000' } as const;

export type HttpServerOptions = {
  /** Longest time until a request has arrived as a whole, milliseconds; after that it is answered 408. Default 10,000. */
  readonly requestMs?: number | undefined;
  /** Default 10,000; null where the service has an admission of its own. */
  readonly maxConnections?: number | null;
  /** It speaks HTTPS with this certificate; null, the default: HTTP. */
  readonly tls?: ServerTlsFiles | null;
  /** Whether clients reach it by https through a proxy; TLS of its own is seen on the connection. */
  readonly https?: boolean;
  /** Leaves the headers to the service, for answers that are `TEXT_HEADERS` and a line: setting all costs 5 µs each. */
  readonly ownHeaders?: boolean;
  /** Once it is aborted, each answer ends its connection: proxies keep none to a server that stops soon. */
  readonly draining?: AbortSignal | undefined;
  /** Receives a warning where connections are closed above the limit. */
  readonly log?: Pick<Logger, 'warn'>;
};

/** A server that does not listen yet. Throws `SecretFileError`. */
export function createHttpServer(options: HttpServerOptions = {}, listener?: RequestListener): Server {
  const { requestMs = REQUEST_MS, maxConnections = MAX_CONNECTIONS, https = false, log } = options;
  const { ownHeaders = false, tls = null, draining } = options;
  const settings = {
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: Math.ceil(requestMs / CHECKS),
    keepAliveTimeout: KEEP_ALIVE_MS,
    ServerResponse: ownHeaders ? ServerResponse : responseClass(https),
  };
  const server = tls === null ? createServer(settings, listener) : createTls(tls, settings, listener);
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
    log?.warn({ code: 'CONNECTIONS_DROPPED', maxConnections }, 'more connections than the limit are closed');
  });
}

function createTls(
  files: ServerTlsFiles,
  settings: ServerOptions & { headersTimeout: number },
  listener?: RequestListener,
) {
  // Where a handshake takes longer, no request has begun that a timeout could end.
  const handshakeTimeout = settings.headersTimeout;
  const server = createTlsServer({ ...settings, ...readServerTls(files), handshakeTimeout }, listener);
  // Before those who answer errors: an answer waits for the handshake, and would keep the connection for as long.
  server.prependListener('tlsClientError', (_error, socket) => socket.destroy());
  followCertificate(server, files);
  return server;
}

/** Options of `fastify(...)` for a server of `createHttpServer`. */
export function fastifyServer(options: HttpServerOptions = {}) {
  return {
    serverFactory: (handler: RequestListener) => createHttpServer(options, handler),
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
  };
}

/** An answer written to a connection without a `ServerResponse`, after which the connection ends. */
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

/** Of what is no request, by the code of Node's error; 400 for any other. */
const BAD_REQUESTS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Answers what is no request. Fastify's own handler logs the error, which holds the bytes that arrived. */
export function refuseBadRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = BAD_REQUESTS[error.code ?? ''] ?? '400 Bad Request';
  socket.end(rawAnswer(status, JSON.stringify({ error: 'bad_request' })), () => socket.destroy());
}

/** The headers of every answer of a response that `writeHead` has not written yet. */
const COMMON = Symbol('headers of every answer');

type CommonHeaders = { readonly [COMMON]?: Readonly<Record<string, string>> };

function responseClass(https: boolean): typeof ServerResponse {
  return class<Request extends IncomingMessage> extends ServerResponse<Request> implements CommonHeaders {
    readonly [COMMON]: Readonly<Record<string, string>>;

    constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
      super(...args);
      const [{ socket }] = args;
      this[COMMON] = https || 'encrypted' in socket ? HTTPS_HEADERS : HEADERS;
    }

    // biome-ignore lint/suspicious/noExplicitAny: the overloads of Node.
    override writeHead(...args: any): this {
      for (const [name, value] of Object.entries(this[COMMON]))
        if (!this.hasHeader(name)) this.setHeader(name, value);
      return super.writeHead.apply(this, args);
    }
  };
}

/**
 * Writes the head of an answer with these headers and those of every answer, all at once: set one by one they cost a
 * request of ready bytes a fifth of its time in front of the socket.
 */
export function writeWholeHead(
  response: ServerResponse & CommonHeaders,
  status: number,
  headers: OutgoingHttpHeaders,
): void {
  const all: OutgoingHttpHeader[] = [];
  const common = response[COMMON];
  for (const name in common) if (!(name in headers)) all.push(name, common[name] as string);
  for (const name in headers) all.push(name, headers[name] as OutgoingHttpHeader);
  ServerResponse.prototype.writeHead.call(response, status, all);
}

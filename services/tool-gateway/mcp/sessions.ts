/** Answers to clients of all revisions, and their streams (docs/decisions/0053). */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  createMcpHandler,
  isInitializeRequest,
  type McpHttpHandler,
  type Server,
  type ServerEvent,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { object } from '#domain/values.ts';
import type { Caller } from './caller.ts';
import type { ChangeNotifier } from './changes.ts';
import { createServer, type ServerContext } from './server.ts';

type Session = {
  readonly id: string;
  readonly caller: Caller;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
  streams: number;
};

const SESSION_HEADER = 'mcp-session-id';

const SESSION_METHODS = new Set<unknown>(['resources/subscribe', 'resources/unsubscribe']);

/** Answers requests of revisions before 2026-07-28. A session holds subscriptions alone: any replica answers other calls. */
export class McpSessions {
  readonly #context: ServerContext;
  readonly #changes: ChangeNotifier;
  readonly #sessions = new Map<string, Session>();
  /** Prefix of the ids of this process's sessions. */
  readonly #idPrefix = `${randomUUID()}.`;

  constructor(context: ServerContext, changes: ChangeNotifier) {
    this.#context = context;
    this.#changes = changes;
  }

  /** Answers a request; `body` is its parsed body, undefined for GET and DELETE. */
  async answer(request: Request, body: unknown, caller: Caller): Promise<Response> {
    if (isInitializeRequest(body)) return this.#open(request, body, caller);
    const id = request.headers.get(SESSION_HEADER);
    const session = id === null ? undefined : this.#sessions.get(id);
    if (session !== undefined && session.caller.tokenId === caller.tokenId)
      return this.#answerIn(session, request, body);
    // An unknown id with our prefix belongs to an ended session; a session of another process may still exist.
    const hasEnded = id?.startsWith(this.#idPrefix) === true;
    if (request.method === 'POST' && !hasEnded && !SESSION_METHODS.has(object(body)?.method))
      return this.#answerWithoutSession(request, body, caller);
    return id === null
      ? refusal(400, 'This needs a session: send initialize first')
      : refusal(404, 'The session has ended, or another replica has it: send initialize again');
  }

  sweep(): void {
    const { limits, now } = this.#context;
    const before = now() - limits.sessionIdleMs;
    for (const session of this.#sessions.values())
      if (session.streams === 0 && session.usedAt <= before) this.#end(session, 'idle');
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#sessions.values(), ({ server }) => server.close()));
  }

  async #open(request: Request, body: unknown, caller: Caller): Promise<Response> {
    if (!this.#makeRoom(caller)) return refusal(503, 'Too many sessions: end some, or try again later');
    const uris = new Set<string>();
    const server = createServer(this.#context, caller, uris);
    const id = this.#idPrefix + randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      enableJsonResponse: true,
    });
    const usedAt = this.#context.now();
    const session: Session = { id, caller, server, transport, usedAt, streams: 0 };
    const stop = this.#changes.subscribe({
      clientId: caller.clientId,
      changed: (uri) => {
        if (uris.has(uri)) this.#notify(session, () => server.sendResourceUpdated({ uri }));
      },
      listChanged: (kind) =>
        this.#notify(session, () => server.notification({ method: `notifications/${kind}/list_changed` })),
    });
    server.onclose = () => {
      stop();
      this.#sessions.delete(id);
      this.#count();
    };
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody: body });
    if (response.ok) {
      this.#sessions.set(id, session);
      this.#count();
    } else await server.close();
    return response;
  }

  async #answerIn(session: Session, request: Request, body: unknown): Promise<Response> {
    session.usedAt = this.#context.now();
    const response = await session.transport.handleRequest(request, { parsedBody: body });
    if (request.method === 'GET' && response.ok) {
      session.streams += 1;
      request.signal.addEventListener('abort', () => {
        session.streams -= 1;
        session.usedAt = this.#context.now();
        session.transport.closeStandaloneSSEStream();
      });
    }
    return response;
  }

  async #answerWithoutSession(request: Request, body: unknown, caller: Caller): Promise<Response> {
    const server = createServer(this.#context, caller, null);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody: body });
    } finally {
      await server.close();
    }
  }

  #notify({ streams }: Session, send: () => Promise<void>): void {
    if (streams === 0) return;
    const { metrics, log } = this.#context;
    metrics.notifications.inc();
    send().catch((error: unknown) => log.debug({ err: error }, 'a notification was not sent'));
  }

  /** Ends the oldest session without a stream where the token or replica has the maximum. Returns whether one may be opened. */
  #makeRoom({ tokenId }: Caller): boolean {
    const { maxSessions, maxSessionsPerToken } = this.#context.limits;
    const all = [...this.#sessions.values()];
    const ofToken = all.filter(({ caller }) => caller.tokenId === tokenId);
    const crowded = ofToken.length >= maxSessionsPerToken ? ofToken : all.length >= maxSessions ? all : null;
    if (crowded === null) return true;
    const [oldest] = crowded.filter(({ streams }) => streams === 0).sort((a, b) => a.usedAt - b.usedAt);
    if (oldest === undefined) return false;
    this.#end(oldest, 'crowded');
    return true;
  }

  #end(session: Session, reason: string): void {
    const { metrics, log } = this.#context;
    metrics.ended.inc({ reason: `session_${reason}` });
    this.#sessions.delete(session.id);
    session.server.close().catch((error: unknown) => log.debug({ err: error }, 'a session did not close'));
  }

  #count(): void {
    this.#context.metrics.sessions.set(this.#sessions.size);
  }
}

/** Answers requests of revision 2026-07-28, by one handler of the SDK for each token, as its streams carry only what the contract covers. Without a stream it has no state. */
export function statelessHandlers(context: ServerContext, changes: ChangeNotifier) {
  const { limits, log, metrics } = context;
  const handlers = new Map<string, { readonly handler: McpHttpHandler; streams: number }>();
  const handlerOf = (caller: Caller): McpHttpHandler => {
    const key = `${caller.clientId}/${caller.tokenId}`;
    const known = handlers.get(key);
    if (known !== undefined) return known.handler;
    for (const [idle, { streams }] of handlers) {
      if (handlers.size < limits.maxSessions) break;
      if (streams === 0) handlers.delete(idle);
    }
    const subscribe = (listener: (event: ServerEvent) => void): (() => void) => {
      const send = (event: ServerEvent): void => {
        metrics.notifications.inc();
        listener(event);
      };
      const stop = changes.subscribe({
        clientId: caller.clientId,
        changed: (uri) => send({ kind: 'resource_updated', uri }),
        listChanged: (kind) => send({ kind: `${kind}_list_changed` }),
      });
      created.streams += 1;
      return () => {
        stop();
        created.streams -= 1;
      };
    };
    const handler = createMcpHandler(() => createServer(context, caller, null, true), {
      legacy: 'reject',
      bus: { publish() {}, subscribe },
      maxSubscriptions: limits.maxStreamsPerToken,
      onerror: (error) => log.debug({ err: error }, 'a request of the protocol was refused'),
    });
    const created = { handler, streams: 0 };
    handlers.set(key, created);
    return handler;
  };
  return {
    answer: (request: Request, parsedBody: unknown, caller: Caller): Promise<Response> =>
      handlerOf(caller).fetch(request, { parsedBody }),
    /** Ends every stream with a result, as the protocol requires. */
    close: () => Promise.all(Array.from(handlers.values(), ({ handler }) => handler.close())),
  };
}

/** Creates an HTTP error whose JSON-RPC error belongs to no request of the protocol (`id` is null). */
export function refusal(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  code = -32_000,
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}

/** The open streams of a replica. Limits their number, their age, and how long a reader may stall. */
export function mcpStreams({ limits, metrics, now }: Pick<ServerContext, 'limits' | 'metrics' | 'now'>) {
  /** `check`: returns why a stream must end at a time, null if it may go on. */
  const streams = new Map<ServerResponse, { tokenId: string; check: (at: number) => string | null }>();
  return {
    admits({ tokenId }: Caller): boolean {
      const own = streams.values().filter((stream) => stream.tokenId === tokenId);
      return streams.size < limits.maxStreams && [...own].length < limits.maxStreamsPerToken;
    },
    /** Counts a stream until its connection closes. `sweep` ends it once its token is not live any more. */
    add({ tokenId }: Caller, raw: ServerResponse, isLive: () => boolean): void {
      const openedAt = now();
      let stalledAt: number | null = null;
      const check = (at: number): string | null => {
        stalledAt = raw.writableNeedDrain ? (stalledAt ?? at) : null;
        if (!isLive()) return 'token';
        if (stalledAt !== null && at - stalledAt >= limits.streamStallMs) return 'stalled';
        return at - openedAt >= limits.streamMaxMs ? 'age' : null;
      };
      metrics.streams.set(streams.set(raw, { tokenId, check }).size);
      raw.once('close', () => {
        streams.delete(raw);
        metrics.streams.set(streams.size);
      });
    },
    /** Ends streams whose token is no longer valid, whose reader stalls, or that reached the maximum age. */
    sweep(): void {
      for (const [raw, { check }] of streams) {
        const reason = check(now());
        if (reason === null) continue;
        metrics.ended.inc({ reason: `stream_${reason}` });
        // The writer stops once the connection is closed.
        raw.destroy();
      }
    },
  };
}

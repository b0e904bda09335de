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
  readonly caller: Caller;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
  streams: number;
};

const LIST_NOTIFIERS = {
  tools_list_changed: 'sendToolListChanged',
  prompts_list_changed: 'sendPromptListChanged',
  resources_list_changed: 'sendResourceListChanged',
} as const;

const SESSION_METHODS = new Set<unknown>(['resources/subscribe', 'resources/unsubscribe']);

/** Answers requests of revisions before 2026-07-28. A session holds subscriptions alone: any replica answers other calls. */
export function mcpSessions(context: ServerContext, changes: ChangeNotifier) {
  const { limits, log, metrics, now } = context;
  const sessions = new Map<string, Session>();
  /** Prefix of the ids of this process's sessions. */
  const idPrefix = `${randomUUID()}.`;
  const count = (): void => metrics.sessions.set(sessions.size);
  const end = ({ server }: Session, reason: string): void => {
    metrics.ended.inc({ reason: `session_${reason}` });
    server.close().catch((error: unknown) => log.debug({ err: error }, 'a session did not close'));
  };

  /** Ends the oldest session without a stream where the token or replica has the maximum. Returns whether one may be opened. */
  const makeRoom = ({ tokenId }: Caller): boolean => {
    const all = [...sessions.values()];
    const ofToken = all.filter(({ caller }) => caller.tokenId === tokenId);
    const isFull = all.length >= limits.maxSessions;
    const crowded = ofToken.length >= limits.maxSessionsPerToken ? ofToken : isFull ? all : null;
    if (crowded === null) return true;
    const [oldest] = crowded.filter(({ streams }) => streams === 0).sort((a, b) => a.usedAt - b.usedAt);
    if (oldest !== undefined) end(oldest, 'crowded');
    return oldest !== undefined;
  };

  const open = async (request: Request, parsedBody: unknown, caller: Caller): Promise<Response> => {
    if (!makeRoom(caller)) return refusal(503, 'Too many sessions: end some, or try again later');
    const uris = new Set<string>();
    const server = createServer(context, caller, uris);
    const id = idPrefix + randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      enableJsonResponse: true,
    });
    const session: Session = { caller, server, transport, usedAt: now(), streams: 0 };
    const send = (event: ServerEvent): void => {
      if (session.streams === 0 || (event.kind === 'resource_updated' && !uris.has(event.uri))) return;
      metrics.notifications.inc();
      const sent =
        event.kind === 'resource_updated'
          ? server.sendResourceUpdated({ uri: event.uri })
          : server[LIST_NOTIFIERS[event.kind]]();
      sent.catch((error: unknown) => log.debug({ err: error }, 'a notification was not sent'));
    };
    const stop = changes.subscribe({ clientId: caller.clientId, send });
    server.onclose = () => {
      stop();
      sessions.delete(id);
      count();
    };
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody });
    if (response.ok) {
      sessions.set(id, session);
      count();
    } else await server.close();
    return response;
  };

  const answerIn = async (session: Session, request: Request, parsedBody: unknown): Promise<Response> => {
    session.usedAt = now();
    const response = await session.transport.handleRequest(request, { parsedBody });
    if (request.method === 'GET' && response.ok) {
      session.streams += 1;
      request.signal.addEventListener('abort', () => {
        session.streams -= 1;
        session.usedAt = now();
        session.transport.closeStandaloneSSEStream();
      });
    }
    return response;
  };

  const answerWithoutSession = async (request: Request, parsedBody: unknown, caller: Caller) => {
    const server = createServer(context, caller, null);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody });
    } finally {
      await server.close();
    }
  };

  return {
    /** Answers a request; `body` is its parsed body, undefined for GET and DELETE. */
    async answer(request: Request, body: unknown, caller: Caller): Promise<Response> {
      if (isInitializeRequest(body)) return open(request, body, caller);
      const id = request.headers.get('mcp-session-id');
      const session = id === null ? undefined : sessions.get(id);
      if (session !== undefined && session.caller.tokenId === caller.tokenId)
        return answerIn(session, request, body);
      // An unknown id with our prefix belongs to an ended session; a session of another process may still exist.
      const hasEnded = id?.startsWith(idPrefix) === true;
      if (request.method === 'POST' && !hasEnded && !SESSION_METHODS.has(object(body)?.method))
        return answerWithoutSession(request, body, caller);
      return id === null
        ? refusal(400, 'This needs a session: send initialize first')
        : refusal(404, 'The session has ended, or another replica has it: send initialize again');
    },
    sweep(): void {
      const before = now() - limits.sessionIdleMs;
      for (const session of sessions.values())
        if (session.streams === 0 && session.usedAt <= before) end(session, 'idle');
    },
    close: () => Promise.all(Array.from(sessions.values(), ({ server }) => server.close())),
  };
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
      const stop = changes.subscribe({ clientId: caller.clientId, send });
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
    /** Returns the refusal of a requested stream; null if it may be opened, or none is requested. */
    problem(method: string, body: unknown, { tokenId }: Caller): Response | null {
      const message = object(body);
      if (method !== 'GET' && message?.method !== 'subscriptions/listen') return null;
      const own = streams.values().filter((stream) => stream.tokenId === tokenId);
      if (streams.size >= limits.maxStreams || [...own].length >= limits.maxStreamsPerToken)
        return refusal(429, 'Too many open streams: close some');
      const uris = object(object(message?.params)?.notifications)?.resourceSubscriptions;
      return Array.isArray(uris) && uris.length > limits.maxSubscriptions
        ? refusal(400, `Too many resources: subscribe to ${limits.maxSubscriptions} at most`)
        : null;
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

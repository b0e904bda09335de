/** Answers clients of revision 2026-07-28: stateless requests, and a stream for each listener. */
import { createMcpHandler, type McpHttpHandler, type ServerEvent } from '@modelcontextprotocol/server';
import type { Caller } from './caller.ts';
import type { ChangeNotifier } from './changes.ts';
import { createServer, type ServerContext } from './server.ts';

/** One handler of the SDK for each token, as its streams carry only what the contract covers. Without a stream it has no state. */
export class StatelessHandlers {
  readonly #context: ServerContext;
  readonly #changes: ChangeNotifier;
  readonly #handlers = new Map<string, { readonly handler: McpHttpHandler; streams: number }>();

  constructor(context: ServerContext, changes: ChangeNotifier) {
    this.#context = context;
    this.#changes = changes;
  }

  answer(request: Request, body: unknown, caller: Caller): Promise<Response> {
    return this.#handlerOf(caller).fetch(request, { parsedBody: body });
  }

  /** Ends every stream with a result, as the protocol requires. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#handlers.values(), ({ handler }) => handler.close()));
  }

  #handlerOf(caller: Caller): McpHttpHandler {
    const { limits, log, metrics } = this.#context;
    const key = `${caller.clientId}/${caller.tokenId}`;
    const known = this.#handlers.get(key);
    if (known !== undefined) return known.handler;
    for (const [idle, { streams }] of this.#handlers) {
      if (this.#handlers.size < limits.maxSessions) break;
      if (streams === 0) this.#handlers.delete(idle);
    }
    const subscribe = (listener: (event: ServerEvent) => void): (() => void) => {
      const send = (event: ServerEvent): void => {
        metrics.notifications.inc();
        listener(event);
      };
      const stop = this.#changes.subscribe({
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
    const handler = createMcpHandler(() => createServer(this.#context, caller, null, true), {
      legacy: 'reject',
      bus: { publish() {}, subscribe },
      maxSubscriptions: limits.maxStreamsPerToken,
      onerror: (error) => log.debug({ err: error }, 'a request of the protocol was refused'),
    });
    const created = { handler, streams: 0 };
    this.#handlers.set(key, created);
    return handler;
  }
}

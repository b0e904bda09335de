/** Answers clients of revision 2026-07-28: stateless requests, and a stream for each listener. */
import {
  createMcpHandler,
  InMemoryServerEventBus,
  type McpHttpHandler,
  type ServerEvent,
} from '@modelcontextprotocol/server';
import type { Caller } from './caller.ts';
import type { ChangeNotifier } from './changes.ts';
import type { McpLimits } from './limits.ts';
import { createServer, type ServerContext } from './server.ts';

/** Dependencies of the code that answers one revision, or all earlier ones. */
export type McpHandlerOptions = {
  readonly context: ServerContext;
  readonly changes: ChangeNotifier;
  readonly limits: McpLimits;
};

/** Keeps one handler of the SDK for each token, as its bus carries only what the contract covers. Without a stream it has no state. */
export class StatelessHandlers {
  readonly #options: McpHandlerOptions;
  readonly #handlers = new Map<string, { readonly handler: McpHttpHandler; readonly bus: ContractBus }>();

  constructor(options: McpHandlerOptions) {
    this.#options = options;
  }

  answer(request: Request, body: unknown, caller: Caller): Promise<Response> {
    return this.#handlerOf(caller).fetch(request, { parsedBody: body });
  }

  /** Ends every stream with a result, as the protocol requires. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#handlers.values(), ({ handler }) => handler.close()));
  }

  #handlerOf(caller: Caller): McpHttpHandler {
    const { context, changes, limits } = this.#options;
    const key = `${caller.clientId}/${caller.tokenId}`;
    const known = this.#handlers.get(key);
    if (known !== undefined) return known.handler;
    for (const [idle, { bus }] of this.#handlers) {
      if (this.#handlers.size < limits.maxSessions) break;
      if (bus.listenerCount === 0) this.#handlers.delete(idle);
    }
    const bus = new ContractBus(changes, caller.clientId, () => context.metrics.notifications.inc());
    const handler = createMcpHandler(() => createServer(context, caller, null, true), {
      legacy: 'reject',
      bus,
      maxSubscriptions: limits.maxStreamsPerToken,
      onerror: (error) => context.log.debug({ err: error }, 'a request of the protocol was refused'),
    });
    this.#handlers.set(key, { handler, bus });
    return handler;
  }
}

/** The bus of the streams of one token: carries only changes that its client's contract covers. */
class ContractBus extends InMemoryServerEventBus {
  readonly #follow: () => () => void;
  #stop: (() => void) | undefined;

  constructor(changes: ChangeNotifier, clientId: number, onSend: () => void) {
    super();
    this.#follow = () =>
      changes.subscribe({
        clientId,
        changed: (uri) => {
          onSend();
          this.publish({ kind: 'resource_updated', uri });
        },
        listChanged: (kind) => {
          onSend();
          this.publish({ kind: `${kind}_list_changed` });
        },
      });
  }

  override subscribe(listener: (event: ServerEvent) => void): () => void {
    const leave = super.subscribe(listener);
    this.#stop ??= this.#follow();
    return () => {
      leave();
      if (this.listenerCount > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }
}

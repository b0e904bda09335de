import type { DeliveryOutcome, WebhookEndpoint } from '#outbound/endpoint.ts';
import type { Alert } from '#records/types.ts';
import type { TraceSpan } from '#tracing/tracer.ts';
import { tracer } from '#tracing/tracing.ts';
import { HEALTH_HEADER } from '#trading/feed-status.ts';
import { type AlertFormat, alertBody } from '#webhooks/alert-formats.ts';
import { identify, latenessOf, type MessageBatch } from './batch.ts';
import type { Subscription } from './subscriptions.ts';

type ReceiverEndpoint = Pick<WebhookEndpoint, 'post' | 'close'>;

/** Opens the endpoint of a subscription's address. */
export type OpenEndpoint = (subscription: Subscription) => ReceiverEndpoint;

/** The receiver of a subscription, which gets one request at a time. */
export class Receiver {
  readonly #openEndpoint: OpenEndpoint;
  readonly #now: () => number;
  /** The endpoint in use, with the subscription that it was opened for. */
  #opened: { readonly endpoint: ReceiverEndpoint; readonly of: Subscription } | null = null;
  #request: AbortController | null = null;

  /** `now`: Unix milliseconds. */
  constructor({ openEndpoint, now }: { readonly openEndpoint: OpenEndpoint; readonly now: () => number }) {
    this.#openEndpoint = openEndpoint;
    this.#now = now;
  }

  /** Posts a batch, whose bytes it drops. Resolves with null if that was aborted, unless the batch was accepted all the same. */
  async post(subscription: Subscription, batch: MessageBatch): Promise<DeliveryOutcome | null> {
    const endpoint = this.#endpointOf(subscription);
    const request = new AbortController();
    this.#request = request;
    const span = startSpan(batch, subscription);
    const lateness = latenessOf(batch.messages, subscription, this.#now());
    const outcome = await endpoint.post(
      bodyOf(subscription, batch),
      request.signal,
      lateness === null ? {} : { [HEALTH_HEADER]: lateness },
    );
    span?.set({ 'http.response.status_code': outcome.kind === 'status' ? outcome.status : undefined });
    span?.end(outcome.kind === 'accepted' ? undefined : outcome.kind);
    this.#request = null;
    return outcome.kind !== 'accepted' && request.signal.aborted ? null : outcome;
  }

  abort(): void {
    this.#request?.abort();
  }

  /** Aborts the pending request, and closes the connection. */
  async close(): Promise<void> {
    this.abort();
    await this.#opened?.endpoint.close();
  }

  /** Returns the endpoint; opens another one if the address or secret has changed. */
  #endpointOf(subscription: Subscription): ReceiverEndpoint {
    const { url, secret } = subscription;
    const opened = this.#opened;
    if (opened !== null && opened.of.url === url && opened.of.secret === secret) return opened.endpoint;
    void opened?.endpoint.close();
    const endpoint = this.#openEndpoint(subscription);
    this.#opened = { endpoint, of: subscription };
    return endpoint;
  }
}

/** Returns the body of a request: the contract's list, or the alert of the batch's one message in the subscription's format. */
function bodyOf({ format, template, secret }: Subscription, batch: MessageBatch): Buffer {
  const body = batch.takeBody();
  if (format === null) return body;
  const [message] = JSON.parse(body.toString()) as { data: { alert: Alert } }[];
  if (message === undefined) return body;
  return Buffer.from(alertBody(message.data.alert, { format: format as AlertFormat, template, secret }));
}

/** Starts a request's span in the trace of its first traced message; null without. Leaves out the address, which may hold secrets. */
function startSpan({ messages, traces }: MessageBatch, { id, clientId }: Subscription): TraceSpan | null {
  const [parent, ...links] = traces;
  if (parent === undefined) return null;
  const [first] = messages;
  const attributes = {
    ...(first && identify(first)),
    subscription: id,
    client: clientId,
    'messaging.batch.message_count': messages.length,
  };
  return tracer()?.start('deliver webhook', { kind: 'client', parent, links, attributes }) ?? null;
}

/** One request to a receiver: the messages that it carries, and its delivery. */

import type { ContentLimits } from '#clients/webhooks.ts';
import type { DeliveryOutcome, WebhookEndpoint } from '#outbound/endpoint.ts';
import type { Alert, WebhookMessage } from '#records/types.ts';
import type { MessageFields } from '#tracing/message-fields.ts';
import type { TraceSpan } from '#tracing/tracer.ts';
import { tracer } from '#tracing/tracing.ts';
import { HEALTH_HEADER } from '#trading/feed-status.ts';
import { type AlertFormat, alertBody } from '#webhooks/alert-formats.ts';
import type { MessageAtOffset, MessageChunk, MessageWindow } from './message-reader.ts';
import type { Subscription } from './subscriptions.ts';

/** A message without its bytes. */
export type MessageHead = Pick<
  WebhookMessage,
  'uuid' | 'message_id' | 'event_id' | 'ut' | 'received_at' | 'in_play'
>;

/** Returns the ids of a message, for log lines and spans. */
export function identify({ message_id, event_id, uuid }: MessageHead): MessageFields {
  return { message_id, event_id, uuid };
}

/** Returns the mark of a request with content older than its subscription asks for (RFC 9651); null without. `now`: Unix milliseconds. */
export function latenessOf(
  messages: readonly Pick<MessageHead, 'ut' | 'received_at'>[],
  { max_age_seconds, max_delay_seconds }: ContentLimits,
  now: number,
): string | null {
  const worst = (of: (message: (typeof messages)[number]) => number): number =>
    Math.max(...messages.map(of)) / 1_000;
  const delay = worst(({ ut, received_at }) => received_at - ut * 1_000);
  if (delay > (max_delay_seconds ?? Number.POSITIVE_INFINITY))
    return `delivery=delayed;reason=max_delay;delay=${Math.round(delay)}`;
  const age = worst(({ received_at }) => now - received_at);
  if (age <= (max_age_seconds ?? Number.POSITIVE_INFINITY)) return null;
  return `delivery=stale;reason=max_age;age=${Math.round(age)}`;
}

/** Limits of one request, which has at least one message, however large. */
export type BatchLimits = {
  readonly messages: number;
  /** Size of the body. */
  readonly bytes: number;
};

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');

/** Messages for one request, at least one, in order. */
export class MessageBatch {
  readonly #limits: BatchLimits;
  readonly #messages: MessageHead[] = [];
  #parts: Buffer[] = [];
  readonly #traces: string[] = [];
  #bytes = OPEN.length;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  get messages(): readonly MessageHead[] {
    return this.#messages;
  }

  /** Traces of its messages, as far as these have one. */
  get traces(): readonly string[] {
    return this.#traces;
  }

  /** Size of the body. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a message and returns true if there is room; else returns false. */
  add(
    { message, uuid, message_id, event_id, ut, received_at, in_play }: WebhookMessage,
    trace?: string,
  ): boolean {
    const bytes = this.#bytes + message.length + 1;
    const { length } = this.#messages;
    if (length > 0 && (length >= this.#limits.messages || bytes > this.#limits.bytes)) return false;
    this.#messages.push({ uuid, message_id, event_id, ut, received_at, in_play });
    this.#parts.push(length === 0 ? OPEN : COMMA, message);
    if (trace !== undefined) this.#traces.push(trace);
    this.#bytes = bytes;
    return true;
  }

  /** Returns the JSON array of all messages, once, and drops their bytes, which hold all that was fetched with them. */
  takeBody(): Buffer {
    const parts = this.#parts;
    this.#parts = [];
    return Buffer.concat([...parts, CLOSE]);
  }
}

/** A batch, with the next offset of each partition after its delivery. */
export type CollectedBatch = {
  readonly batch: MessageBatch;
  readonly next: readonly number[];
  /** Number of wanted messages that are outdated. */
  readonly leftOut: number;
  /** Whether the limit of reads ended it: there may be more messages now. */
  readonly isCut: boolean;
};

type CollectBatchOptions = {
  readonly window: Pick<MessageWindow, 'latest'>;
  readonly limits: BatchLimits;
  readonly next: readonly number[];
  /** The partition that the batch begins with. */
  readonly firstPartition: number;
  readonly wants: (message: WebhookMessage) => boolean;
  /** Whether a wanted message is left out, as a newer one stands for it. */
  readonly isOutdated: (partition: number, message: MessageAtOffset) => boolean;
  /** Reads messages older than the latest; null ends the batch. */
  readonly readOlder: (partition: number, offset: number) => Promise<MessageChunk | null>;
};

/** Maximum number of reads of older messages for a batch; it is sent then, full or not. */
const MAX_READS = 16;

/** Collects the next batch of a subscription, in the order of each partition. Null when `readOlder` returns null. */
export async function collectBatch(options: CollectBatchOptions): Promise<CollectedBatch | null> {
  const { window, limits, firstPartition, wants, isOutdated, readOlder } = options;
  const batch = new MessageBatch(limits);
  const next = [...options.next];
  let isFull = false;
  let leftOut = 0;
  const add = (partition: number, { messages, next: end }: MessageChunk): void => {
    for (const one of messages) {
      const { offset, message, traceparent } = one;
      const isWanted = wants(message);
      const isLeftOut = isWanted && isOutdated(partition, one);
      isFull = isWanted && !isLeftOut && !batch.add(message, traceparent);
      if (isFull) return;
      if (isLeftOut) leftOut += 1;
      next[partition] = offset + 1;
    }
    next[partition] = Math.max(end, next[partition] ?? 0);
  };
  for (let reads = 0; ; reads++) {
    let behind: number | null = null;
    for (let step = 0; step < next.length && !isFull; step++) {
      const partition = (firstPartition + step) % next.length;
      const latest = window.latest(partition, next[partition] ?? 0);
      if (latest === null) behind ??= partition;
      else add(partition, latest);
    }
    if (isFull || behind === null) return { batch, next, leftOut, isCut: false };
    if (reads >= MAX_READS) return { batch, next, leftOut, isCut: true };
    const older = await readOlder(behind, next[behind] ?? 0);
    if (older === null) return null;
    add(behind, older);
  }
}

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

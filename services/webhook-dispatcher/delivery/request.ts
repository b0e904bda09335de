/** One request to a receiver: the messages that it carries, and its delivery. */

import type { ContentLimits } from '#clients/webhooks.ts';
import type { DeliveryOutcome, WebhookEndpoint } from '#outbound/endpoint.ts';
import type { Alert, WebhookMessage } from '#records/types.ts';
import type { MessageFields } from '#tracing/message-fields.ts';
import type { TraceSpan } from '#tracing/tracer.ts';
import { tracer } from '#tracing/tracing.ts';
import { HEALTH_HEADER } from '#trading/feed-status.ts';
import { alertBody } from '#webhooks/alert-formats.ts';
import type { MessageAtOffset, MessageChunk, MessageWindow } from './message-reader.ts';
import type { Subscription } from './subscriptions.ts';

/** A message without its bytes. */
export type MessageHead = Omit<WebhookMessage, 'message'>;

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

/** Messages for one request, in the order of each partition. */
export type MessageBatch = {
  readonly messages: readonly MessageHead[];
  readonly body: Buffer;
  /** Traces of its messages, as far as these have one. */
  readonly traces: readonly string[];
  /** The next offset of each partition after its delivery. */
  readonly next: readonly number[];
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

/** Collects the next batch of a subscription; at least one message, however large, if there is any. Null when `readOlder` returns null. */
export async function collectBatch(options: CollectBatchOptions): Promise<MessageBatch | null> {
  const { window, limits, firstPartition, wants, isOutdated, readOlder } = options;
  const next = [...options.next];
  const messages: MessageHead[] = [];
  const traces: string[] = [];
  const parts: Buffer[] = [];
  let bytes = OPEN.length;
  let isFull = false;
  let leftOut = 0;
  const add = (partition: number, chunk: MessageChunk): void => {
    for (const one of chunk.messages) {
      const { offset, message, traceparent } = one;
      if (wants(message)) {
        if (isOutdated(partition, one)) leftOut += 1;
        else {
          const { message: content, ...head } = message;
          const size = content.length + 1;
          isFull = messages.length > 0 && (messages.length >= limits.messages || bytes + size > limits.bytes);
          if (isFull) return;
          messages.push(head);
          parts.push(parts.length === 0 ? OPEN : COMMA, content);
          if (traceparent !== undefined) traces.push(traceparent);
          bytes += size;
        }
      }
      next[partition] = offset + 1;
    }
    next[partition] = Math.max(chunk.next, next[partition] ?? 0);
  };
  for (let reads = 0; ; reads++) {
    let behind: number | null = null;
    for (let step = 0; step < next.length && !isFull; step++) {
      const partition = (firstPartition + step) % next.length;
      const latest = window.latest(partition, next[partition] ?? 0);
      if (latest === null) behind ??= partition;
      else add(partition, latest);
    }
    const isCut = !isFull && behind !== null && reads >= MAX_READS;
    if (isFull || behind === null || isCut)
      return { messages, body: Buffer.concat([...parts, CLOSE]), traces, next, leftOut, isCut };
    const older = await readOlder(behind, next[behind] ?? 0);
    if (older === null) return null;
    add(behind, older);
  }
}

export type ReceiverContext = {
  readonly openEndpoint: (subscription: Subscription) => Pick<WebhookEndpoint, 'post' | 'close'>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export type Receiver = ReturnType<typeof createReceiver>;

/** Creates the receiver of a subscription, which gets one request at a time. */
export function createReceiver({ openEndpoint, now }: ReceiverContext) {
  let request = new AbortController();
  /** The endpoint in use, with the subscription that it was opened for. */
  let opened: (Pick<Subscription, 'url' | 'secret'> & { endpoint: ReturnType<typeof openEndpoint> }) | null =
    null;
  return {
    /** Posts a batch. Resolves with null if that was aborted, unless the batch was accepted all the same. */
    async post(subscription: Subscription, batch: MessageBatch): Promise<DeliveryOutcome | null> {
      const { url, secret } = subscription;
      if (opened?.url !== url || opened.secret !== secret) {
        void opened?.endpoint.close();
        opened = { url, secret, endpoint: openEndpoint(subscription) };
      }
      request = new AbortController();
      const { signal } = request;
      const span = startSpan(batch, subscription);
      const lateness = latenessOf(batch.messages, subscription, now());
      const headers = lateness === null ? {} : { [HEALTH_HEADER]: lateness };
      const outcome = await opened.endpoint.post(bodyOf(subscription, batch), signal, headers);
      span?.set({ 'http.response.status_code': outcome.kind === 'status' ? outcome.status : undefined });
      span?.end(outcome.kind === 'accepted' ? undefined : outcome.kind);
      return outcome.kind !== 'accepted' && signal.aborted ? null : outcome;
    },
    abort: (): void => request.abort(),
    /** Aborts the pending request, and closes the connection. */
    async close(): Promise<void> {
      request.abort();
      await opened?.endpoint.close();
    },
  };
}

/** Returns the body of a request: the contract's list, or the alert of the batch's one message in the subscription's format. */
function bodyOf(subscription: Subscription, { body }: MessageBatch): Buffer {
  if (subscription.format === null) return body;
  const [message] = JSON.parse(body.toString()) as [{ data: { alert: Alert } }];
  return Buffer.from(alertBody(message.data.alert, subscription));
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

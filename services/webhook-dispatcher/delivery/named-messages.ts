/** Names messages in log lines and spans. */
import type { MessageFields } from '#tracing/message-fields.ts';
import type { TraceSpan } from '#tracing/tracer.ts';
import { tracer } from '#tracing/tracing.ts';
import type { MessageBatch, MessageHead } from './batch.ts';
import type { Subscription } from './subscriptions.ts';

/**
 * Starts the span of a request, in the trace of its first message that has one; null if none has, or without tracing.
 * The span leaves out the address, which may contain secrets.
 */
export function startSpan(
  { messages, traces }: MessageBatch,
  { id, clientId }: Subscription,
): TraceSpan | null {
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

/** Returns the ids of a message. */
export function identify({ message_id, event_id, uuid }: MessageHead): MessageFields {
  return { message_id, event_id, uuid };
}

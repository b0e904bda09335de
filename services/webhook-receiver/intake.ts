import { type DeliveryEncoder, type ReadDelivery, readDelivery } from '#ingestion/delivery.ts';
import { logDelivery } from '#ingestion/delivery-log.ts';
import { countsOf } from '#ingestion/recent-messages.ts';
import type { Logger } from '#service/logger.ts';
import { PublishError } from '#streams/errors.ts';
import type { Publisher } from '#streams/publish/publisher.ts';
import { settlesWithin } from '#timing/clock.ts';
import type { TraceSpan } from '#tracing/tracer.ts';
import { publishTraced, tracer } from '#tracing/tracing.ts';
import { SERVICE } from './config.ts';
import type { ReceiverMetrics } from './metrics.ts';
import { DeliveryRefusedError } from './refusal.ts';
import type { SourceStatus } from './source-status.ts';

type IntakeOptions = {
  readonly publisher: Publisher;
  readonly encode: DeliveryEncoder;
  /** Timeout of storing a delivery, milliseconds, from the head of its request. */
  readonly answerTimeoutMs: number;
  readonly metrics: ReceiverMetrics;
  readonly status: SourceStatus;
  /** Called when a stored delivery had unreadable messages, which the status should report soon. */
  readonly onUnreadable: () => void;
  readonly log: Logger;
};

/**
 * Returns a function that reads, encodes, publishes and counts an authentic body. It rejects with `PublishError` at the deadline (the
 * body may still be stored), and `DeliveryRefusedError`.
 */
export function openIntake(options: IntakeOptions) {
  const { publisher, encode, answerTimeoutMs } = options;
  /** Paths of unread fields that the log has named. */
  const namedPaths = new Set<string>();
  return async (body: Buffer, waitedMs: number, traceparent?: string): Promise<void> => {
    const readAt = performance.now();
    const delivery = readDelivery(body, { origin: 'webhook', service: SERVICE, receivedAt: Date.now() });
    // Parsed already, and nothing is published: the sender keeps what a dead letter would take from it.
    if (delivery.deadLetters[0]?.code === 'too_many') throw new DeliveryRefusedError('TOO_MANY_MESSAGES');
    const span = startSpan(delivery, waitedMs, traceparent);
    const stored = publishTraced((records) => publisher.publish(records), encode(delivery), span).then(
      () => {
        span?.end();
        count(options, delivery, performance.now() - readAt);
        logDelivery(options.log, delivery, namedPaths);
      },
      (error: unknown) => {
        span?.end(String(error));
        throw error;
      },
    );
    // Publishing continues after the deadline.
    if (!(await settlesWithin(stored, answerTimeoutMs - waitedMs)))
      throw new PublishError('TIMEOUT', 'not acknowledged in time');
  };
}

function count(
  { metrics, status, onUnreadable }: IntakeOptions,
  delivery: ReadDelivery,
  storedMs: number,
): void {
  metrics.stored(storedMs);
  const counts = countsOf(delivery);
  let aheadMs: number | null = null;
  for (const { type, ut, received_at, unread, unreadable } of delivery.normalized) {
    // A mark is of a message that is counted as a dead letter.
    if (unreadable !== null) continue;
    const providerMs = received_at - ut * 1_000;
    aheadMs = Math.max(aheadMs ?? 0, -providerMs);
    metrics.messages.inc({ type });
    metrics.providerToReceived(providerMs);
    for (const path of unread) metrics.unread.inc({ path });
  }
  if (aheadMs !== null) metrics.clockBehind.set(aheadMs / 1_000);
  for (const times of delivery.ignored.values()) metrics.messages.inc({ type: 'unknown' }, times);
  for (const { code } of delivery.deadLetters) metrics.deadLetters.inc({ code });
  status.stored(counts, aheadMs, Date.now());
  if (counts.unreadable > 0) onUnreadable();
}

const MAX_SPAN_MESSAGES = 16;

/** Starts a delivery's span; null without tracing. The sender's trace is only linked: it must not decide what is recorded here. */
function startSpan(
  { raw, normalized }: ReadDelivery,
  waitedMs: number,
  traceparent: string | undefined,
): TraceSpan | null {
  const span = tracer()?.start('POST /webhook', {
    kind: 'server',
    startedAt: Date.now() - waitedMs,
    links: traceparent === undefined ? [] : [traceparent],
    attributes: {
      delivery_id: raw?.delivery_id,
      'messaging.batch.message_count': normalized.length,
      message_id: normalized.slice(0, MAX_SPAN_MESSAGES).map(({ message_id }) => message_id),
    },
  });
  return span ?? null;
}

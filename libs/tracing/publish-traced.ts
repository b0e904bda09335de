import type { PublishRecord } from '#streams/client/port.ts';
import type { TraceSpan } from './tracer.ts';
import { tracer } from './tracing.ts';

/** Publishes records of a sampled trace, under a span that their header names. Rejects as `publish`. */
export async function publishTraced(
  publish: (records: readonly PublishRecord[]) => Promise<void>,
  records: readonly PublishRecord[],
  parent: TraceSpan,
): Promise<void> {
  const span = tracer()?.start('publish', { kind: 'producer', parent: parent.traceparent });
  if (span == null) return publish(records);
  const { traceparent } = span;
  span.set({ 'messaging.system': 'kafka', 'messaging.batch.message_count': records.length });
  try {
    await publish(records.map((record) => ({ ...record, traceparent })));
    span.end();
  } catch (error) {
    span.end(String(error));
    throw error;
  }
}

/** The tracer of this process or thread, if traces are on (docs/guides/trace.md). */
import type { Tracer, TraceSpan, TracingOptions, TracingSinks } from './tracer.ts';

let current: Tracer | null = null;

/** Returns the tracer; null if traces are off. Check it before building attributes. */
export function tracer(): Tracer | null {
  return current;
}

/** Turns traces on; null leaves them off. Loads OpenTelemetry only if needed. */
export async function startTracing(options: TracingOptions | null, sinks: TracingSinks): Promise<void> {
  if (options === null) return;
  const { openTracer } = await import('./otel.ts');
  current = openTracer(options, sinks);
}

/** Turns traces off, after sending pending spans for at most a second. */
export async function stopTracing(): Promise<void> {
  const stopped = current;
  current = null;
  await stopped?.close();
}

/** Publishes records within a span of a sampled trace, which their header names. `parent`: null where none is. Rejects as `publish`. */
export async function publishTraced<R extends { readonly traceparent?: string | undefined }>(
  publish: (records: readonly R[]) => Promise<void>,
  records: readonly R[],
  parent: TraceSpan | null,
): Promise<void> {
  const span = parent && tracer()?.start('publish', { kind: 'producer', parent: parent.traceparent });
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

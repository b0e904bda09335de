/** The tracer of this process or thread, if traces are on (docs/guides/trace.md). */

/** The interface of a tracer. `otel.ts` implements it with OpenTelemetry. */

/** The header of a record that belongs to a trace (W3C Trace Context). */
export const TRACEPARENT = 'traceparent';

/** Attributes of a span. They must not contain an address with a query, a token or a body. */
export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>;

/** A span to start. Times are Unix milliseconds. */
export type SpanOptions = {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** The `traceparent` of its parent span. Without one the span starts a trace, if the sampler records it. */
  readonly parent?: string | undefined;
  /** The `traceparent`s of other spans that caused it. */
  readonly links?: readonly string[] | undefined;
  readonly startedAt?: number;
  readonly attributes?: SpanAttributes;
};

/** A sampled span. */
export interface TraceSpan {
  /** Header value for the spans that it causes (W3C Trace Context). */
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  /** Ends the span; with `failure`, the reason, as failed. */
  end(failure?: string): void;
}

export interface Tracer {
  /** Starts a span; returns null if its trace is not sampled. */
  start(name: string, options: SpanOptions): TraceSpan | null;
  /** Sends pending spans, for at most a second. */
  close(): Promise<void>;
}

/** The outcome of a span: sent to the collector, dropped as too many were pending, or failed at the collector. */
export type SpanOutcome = 'sent' | 'dropped' | 'failed';

/** The collector of spans, and their sampling. Plain data, so that threads can receive it. */
export type TracingOptions = {
  readonly service: string;
  /** Address of the collector (OTLP over HTTP), without the path of traces. */
  readonly endpoint: string;
  /** Headers of every request to the collector. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: (typeof SAMPLERS)[number];
  /** Share of traces that ratio samplers record, 0 to 1. */
  readonly ratio: number;
};

/** The values of OTEL_TRACES_SAMPLER. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type TracingSinks = {
  readonly log: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
  readonly onSpans: (outcome: SpanOutcome, count: number) => void;
};

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

/** Publishes records of a sampled trace within a span, which their header names. Rejects as `publish`. */
export async function publishTraced<R extends { readonly traceparent?: string | undefined }>(
  publish: (records: readonly R[]) => Promise<void>,
  records: readonly R[],
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

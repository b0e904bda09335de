/** The interface of a tracer. `otel.ts` implements it with OpenTelemetry. */

/** The header of a record that belongs to a trace (W3C Trace Context). */
export const TRACEPARENT = 'traceparent';

/** Attributes of a span. They must not contain an address with a query, a token or a body. */
export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>;

/** A span to start. Times are Unix milliseconds. */
type SpanOptions = {
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
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: (typeof SAMPLERS)[number];
  /** Share of traces that ratio samplers record, 0 to 1. */
  readonly ratio: number;
};

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

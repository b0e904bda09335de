/** What a process needs of a tracer: OpenTelemetry stands behind it where traces are on (`otel.ts`). */

/** The header of a record that belongs to a trace (W3C Trace Context). */
export const TRACEPARENT = 'traceparent';

/** Values of a span; never an address with a query, a token or a body. */
export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>;

/** A span to start. Times are Unix milliseconds. */
export type SpanOptions = {
  /** As in OpenTelemetry. */
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** The `traceparent` of the span before it; without one it begins a trace, which sampling decides on. */
  readonly parent?: string | undefined;
  /** Further ones that led to it. */
  readonly links?: readonly string[] | undefined;
  readonly startedAt?: number;
  readonly attributes?: SpanAttributes;
};

/** A span that is sampled. */
export interface TraceSpan {
  /** Its header value (W3C Trace Context) for what it causes. */
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  /** Ends it; `failure` says why it failed. */
  end(failure?: string): void;
}

export interface Tracer {
  /** Null where the trace is not sampled. */
  start(name: string, options: SpanOptions): TraceSpan | null;
  /** Sends what waits, for a second at most. */
  close(): Promise<void>;
}

/** How many spans came to each end. */
export type SpanOutcome = 'sent' | 'dropped' | 'failed';

/** Where spans go, and which. Plain data: threads receive it. */
export type TracingOptions = {
  readonly service: string;
  /** Address of the collector (OTLP over HTTP), without the path of traces. */
  readonly endpoint: string;
  /** Sent with every request to it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: Sampling;
  /** The part of traces that samplers of a ratio take, 0 to 1. */
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
type Sampling = (typeof SAMPLERS)[number];

export type TracingSinks = {
  readonly log: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
  readonly onSpans: (outcome: SpanOutcome, count: number) => void;
};

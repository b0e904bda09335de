/** The tracer on OpenTelemetry. Loaded only if traces are on. */
import {
  type Attributes,
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { settlesWithin } from '#timing/clock.ts';
import type { SpanAttributes, Tracer, TraceSpan, TracingOptions, TracingSinks } from './tracer.ts';

/** Maximum number of pending spans, some 4 MB; further ones are dropped. */
const MAX_PENDING = 4_096;
const BATCH_SPANS = 512;
const SEND_INTERVAL_MS = 1_000;
const SEND_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1_000;
const TRACES_PATH = '/v1/traces';

export function openTracer(options: TracingOptions, sinks: TracingSinks): Tracer {
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint}${TRACES_PATH}`,
    headers: { ...options.headers },
    timeoutMillis: SEND_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.service }),
    sampler: samplerOf(options),
    spanProcessors: [new BoundedProcessor(exporter, sinks)],
  });
  const tracer = provider.getTracer('touchline');
  return {
    start(name, { kind, parent, links = [], startedAt, attributes = {} }) {
      const span = tracer.startSpan(
        name,
        {
          kind: SpanKind[kind.toUpperCase() as Uppercase<typeof kind>],
          links: links.flatMap((link) => {
            const context = parseTraceparent(link);
            return context === null ? [] : [{ context }];
          }),
          ...(startedAt === undefined ? {} : { startTime: startedAt }),
          attributes: known(attributes),
        },
        contextOf(parent),
      );
      return span.isRecording() ? sampled(span) : null;
    },
    async close() {
      await settlesWithin(
        provider.shutdown().catch(() => {}),
        CLOSE_TIMEOUT_MS,
      );
    },
  };
}

function samplerOf({ sampler, ratio }: TracingOptions): Sampler {
  const [, parentBased, root] = /^(parentbased_)?(.+)$/.exec(sampler) ?? [];
  const rootSampler =
    root === 'always_on'
      ? new AlwaysOnSampler()
      : root === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return parentBased === undefined ? rootSampler : new ParentBasedSampler({ root: rootSampler });
}

function sampled(span: OtelSpan): TraceSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    set: (attributes) => void span.setAttributes(known(attributes)),
    end(failure) {
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
      span.end();
    },
  };
}

function contextOf(parent: string | undefined): Context {
  const context = parent === undefined ? null : parseTraceparent(parent);
  return context === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, context);
}

const TRACEPARENT_FORM = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;

/** Parses a `traceparent`; returns null for any other text. */
export function parseTraceparent(text: string): SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT_FORM.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, traceFlags: parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

/** Returns the attributes without null and undefined values. */
function known(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined),
  ) as Attributes;
}

/** Passes spans to OpenTelemetry while fewer than `MAX_PENDING` wait, and counts outcomes: a missing collector costs bounded memory. */
class BoundedProcessor extends BatchSpanProcessor {
  readonly #sinks: TracingSinks;
  #pending = 0;
  #isFailing = false;

  constructor(exporter: SpanExporter, sinks: TracingSinks) {
    super({
      exporter: {
        export: (spans, done) =>
          exporter.export(spans, (result) => {
            this.#settled(spans.length, result.error);
            done(result);
          }),
        shutdown: () => exporter.shutdown(),
      },
      maxQueueSize: MAX_PENDING,
      maxExportBatchSize: BATCH_SPANS,
      scheduledDelayMillis: SEND_INTERVAL_MS,
      exportTimeoutMillis: 2 * SEND_TIMEOUT_MS,
    });
    this.#sinks = sinks;
  }

  override onEnd(span: ReadableSpan): void {
    if (this.#pending >= MAX_PENDING) this.#sinks.onSpans('dropped', 1);
    else {
      this.#pending += 1;
      super.onEnd(span);
    }
  }

  /** Counts a sent or failed batch. Logs one line when batches begin to fail, and one when they succeed again. */
  #settled(count: number, error: Error | undefined): void {
    const { log, onSpans } = this.#sinks;
    this.#pending -= count;
    onSpans(error === undefined ? 'sent' : 'failed', count);
    if (error !== undefined && !this.#isFailing)
      log.warn({ code: 'TRACES_NOT_SENT', reason: error.message }, 'the collector does not accept traces');
    if (error === undefined && this.#isFailing) log.info({}, 'the collector accepts traces again');
    this.#isFailing = error !== undefined;
  }
}

import { createServer, type IncomingHttpHeaders } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from './listen.ts';

/** A span as the collector received it. */
export type CollectedSpan = {
  /** Name of the service. */
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly links: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
};

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> };
type OtlpSpan = Omit<CollectedSpan, 'service' | 'attributes' | 'links'> & {
  readonly attributes: readonly Attribute[];
  readonly links?: readonly { readonly traceId: string }[];
};
type OtlpBody = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
};

/** A collector of traces (OTLP over HTTP, JSON) in the test's own process. */
export class Collector {
  readonly spans: CollectedSpan[] = [];
  /** Headers of the last request. */
  headers: IncomingHttpHeaders = {};
  readonly url: string;

  private constructor(url: string) {
    this.url = url;
  }

  static async start(): Promise<Collector> {
    const server = createServer(async (request, response) => {
      const body = (await json(request)) as OtlpBody;
      collector.headers = request.headers;
      collector.spans.push(...spansOf(body));
      response.setHeader('content-type', 'application/json').end('{}');
    });
    const collector = new Collector(`http://127.0.0.1:${await listen(server)}`);
    return collector;
  }

  /** Returns the spans of one trace. */
  trace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }
}

function spansOf({ resourceSpans }: OtlpBody): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, links = [], ...span }) => ({
        service,
        ...span,
        attributes: valuesOf(attributes),
        links: links.map(({ traceId }) => traceId),
      })),
    );
  });
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

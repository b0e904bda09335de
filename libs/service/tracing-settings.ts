import querystring from 'node:querystring';
import { z } from 'zod';
import { SAMPLERS, type TracingOptions } from '#tracing/tracer.ts';
import { httpUrl, list, optional, secret } from './setting-types.ts';

const HEADER = /^[!#$%&'*+.^_`|~\w-]+=[^,]*$/;

export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl()
    .optional()
    .describe(
      'Address of a collector of traces (OTLP over HTTP, JSON), without /v1/traces. Not set: no traces.',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    list(z.string().regex(HEADER, 'must be name=value, with commas between several')).optional(),
  ).describe(
    'Headers of requests to the collector, name=value with commas between several, values percent-encoded.',
  ),
  OTEL_SERVICE_NAME: optional('Name of the process in traces. Not set: that of the service.'),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`)
    .default('parentbased_always_on')
    .describe(`Which traces are recorded: ${SAMPLERS.join(', ')}.`),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .prefault('1')
    .describe('Share of traces that a ratio sampler records, 0 to 1.'),
};

/** Returns the tracing options of a service; null if traces are off. */
export function tracingOptions(
  service: string,
  config: z.output<z.ZodObject<typeof tracingSettings>>,
): TracingOptions | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = [] } = config;
  if (endpoint === undefined) return null;
  return {
    service: config.OTEL_SERVICE_NAME ?? service,
    endpoint,
    headers: Object.fromEntries(
      headers.map((header) => {
        const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(header) ?? [];
        return [name, querystring.unescape(value)];
      }),
    ),
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
  };
}

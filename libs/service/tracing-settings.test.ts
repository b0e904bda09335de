import { expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig, secretValues } from './config.ts';
import { tracingOptions, tracingSettings } from './tracing-settings.ts';

const spec = z.object(tracingSettings);
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

test('returns null without an endpoint', () => {
  expect(tracingOptions('api', loadConfig(spec, { OTEL_TRACES_SAMPLER: 'always_on' }))).toBeNull();
});

test('reads the settings of OpenTelemetry, and names the process after the service by default', () => {
  expect(tracingOptions('api', loadConfig(spec, ENDPOINT))).toEqual({
    service: 'api',
    endpoint: 'http://collector:4318',
    headers: {},
    sampler: 'parentbased_always_on',
    ratio: 1,
  });
  const config = loadConfig(spec, {
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b=c, authorization=Basic%20%zz',
    OTEL_SERVICE_NAME: 'mine',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.05',
  });
  expect(tracingOptions('api', config)).toMatchObject({
    service: 'mine',
    headers: { 'x-key': 'a b=c', authorization: 'Basic %zz' },
    sampler: 'parentbased_traceidratio',
    ratio: 0.05,
  });
  expect(secretValues(spec, config)).toContain('x-key=a%20b=c');
});

test('names wrong settings without the values of headers', () => {
  const load = () =>
    loadConfig(spec, {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'hush hush',
      OTEL_TRACES_SAMPLER: 'sometimes',
      OTEL_TRACES_SAMPLER_ARG: '1.5',
    });
  for (const name of Object.keys(tracingSettings).filter((one) => one !== 'OTEL_SERVICE_NAME'))
    expect(load).toThrow(`${name}:`);
  expect(load).not.toThrow(/hush/);
});

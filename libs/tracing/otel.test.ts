import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { poll } from '#timing/poll.ts';
import { parseTraceparent } from './otel.ts';
import type { SpanOutcome, TracingOptions } from './tracer.ts';
import { startTracing, stopTracing, tracer } from './tracing.ts';

const OUTSIDE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const counts: Record<SpanOutcome, number> = { sent: 0, dropped: 0, failed: 0 };
const log = { warn: vi.fn(), info: vi.fn() };
const sinks = {
  log,
  onSpans(outcome: SpanOutcome, count: number): void {
    counts[outcome] += count;
  },
};

function optionsOf(endpoint: string, change: Partial<TracingOptions> = {}): TracingOptions {
  return { service: 'a-service', endpoint, headers: {}, sampler: 'always_on', ratio: 1, ...change };
}

/** Starts a collector that answers with this status. Returns its address. */
async function collectorOf(status: number): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => void server.closeAllConnections(),
    () => void server.close(),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const closing: (() => void)[] = [];

afterEach(async () => {
  await stopTracing();
  for (const close of closing.splice(0)) close();
  Object.assign(counts, { sent: 0, dropped: 0, failed: 0 });
  vi.clearAllMocks();
});

test('is off without an endpoint', async () => {
  await startTracing(null, sinks);
  expect(tracer()).toBeNull();
});

test('continues the trace of a parent, and starts one without a parent', async () => {
  await startTracing(optionsOf(await collectorOf(200)), sinks);
  const continued = tracer()?.start('one', { kind: 'consumer', parent: OUTSIDE });
  expect(parseTraceparent(continued?.traceparent ?? '')).toMatchObject({
    traceId: 'a'.repeat(32),
    traceFlags: 1,
  });
  const begun = tracer()?.start('another', { kind: 'server', parent: 'no traceparent', links: [OUTSIDE] });
  expect(parseTraceparent(begun?.traceparent ?? '')?.traceId).not.toBe('a'.repeat(32));
  continued?.end();
  begun?.end('failed');
  await stopTracing();
  expect(counts).toEqual({ sent: 2, dropped: 0, failed: 0 });
});

test.each([
  ['always_on', 1, true],
  ['always_off', 1, false],
  ['traceidratio', 0, false],
  ['parentbased_traceidratio', 1, true],
  ['parentbased_traceidratio', 0, false],
  ['parentbased_always_off', 1, false],
] as const)('samples new traces by sampler and ratio: %s %d', async (sampler, ratio, isSampled) => {
  await startTracing(optionsOf(await collectorOf(200), { sampler, ratio }), sinks);
  expect(tracer()?.start('one', { kind: 'server' }) !== null).toBe(isSampled);
  const ofSampled = tracer()?.start('one', { kind: 'server', parent: OUTSIDE }) !== null;
  expect(ofSampled).toBe(sampler.startsWith('parentbased') || isSampled);
});

test('drops spans while the collector accepts none, and warns once', async () => {
  await startTracing(optionsOf(await collectorOf(400)), sinks);
  const start = performance.now();
  for (let n = 0; n < 20_000; n += 1) tracer()?.start('one', { kind: 'server' })?.end();
  expect(counts.dropped).toBeGreaterThan(10_000);
  await poll(async () => counts.failed >= 512, { timeoutMs: 10_000, everyMs: 10 });
  expect(log.warn).toHaveBeenCalledOnce();
  await stopTracing();
  expect(performance.now() - start).toBeLessThan(15_000);
});

test('does not wait for a collector that is down', async () => {
  const stopped = createServer();
  await new Promise<void>((resolve) => stopped.listen(0, '127.0.0.1', resolve));
  const { port } = stopped.address() as AddressInfo;
  await new Promise((resolve) => stopped.close(resolve));
  await startTracing(optionsOf(`http://127.0.0.1:${port}`), sinks);
  for (let n = 0; n < 100; n += 1) tracer()?.start('one', { kind: 'server' })?.end();
  const start = performance.now();
  await stopTracing();
  expect(performance.now() - start).toBeLessThan(5_000);
});

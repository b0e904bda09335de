/** Metrics of a process, in the Prometheus text format. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { SpanOutcome } from '#tracing/tracer.ts';
import { serviceVersion } from './version.ts';

export type { Registry } from 'prom-client';

/** Creates the registry of a process, with the label `service` on all metrics, its version, and Node's metrics. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  // The default, 10 ms, wakes an idle process a hundred times a second.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  new Gauge({
    name: 'touchline_build_info',
    help: 'Always 1: the version that runs.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: serviceVersion() }, 1);
  return registry;
}

/** Returns a function that counts spans of traces by outcome, in one metric of the registry. */
export function spanCounter(registry: Registry): (outcome: SpanOutcome, count: number) => void {
  const name = 'touchline_spans_total';
  const known = registry.getSingleMetric(name) as Counter<'outcome'> | undefined;
  const spans =
    known ??
    new Counter({
      name,
      help: 'Spans of traces by outcome: sent, dropped because too many were waiting, or failed at the collector.',
      labelNames: ['outcome'],
      registers: [registry],
    });
  return (outcome, count) => spans.inc({ outcome }, count);
}

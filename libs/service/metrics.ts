/** Metrics of a process, in the Prometheus text format. */
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { SpanOutcome } from '#tracing/tracer.ts';

export type { Registry } from 'prom-client';

/** A registry for one process: its metrics have the label `service`, and Node's own are included. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  // The default of 10 ms wakes an idle process a hundred times a second.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  return registry;
}

/** Counts what becomes of spans of traces, in one metric of the registry. */
export function spanCounter(registry: Registry): (outcome: SpanOutcome, count: number) => void {
  const name = 'touchline_spans_total';
  const known = registry.getSingleMetric(name) as Counter<'outcome'> | undefined;
  const spans =
    known ??
    new Counter({
      name,
      help: 'Spans of traces, by what became of them: sent, dropped since too many waited, failed at the collector.',
      labelNames: ['outcome'],
      registers: [registry],
    });
  return (outcome, count) => spans.inc({ outcome }, count);
}

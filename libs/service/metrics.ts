/** Metrics of a process, in the Prometheus text format. */
import { collectDefaultMetrics, Registry } from 'prom-client';

export type { Registry } from 'prom-client';

/** A registry for one process: its metrics carry the label `service`, and those of Node are in it. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  // The default of 10 ms wakes a process that has nothing to do a hundred times a second.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  return registry;
}

/** Metrics of a process, in the Prometheus text format. */
import { collectDefaultMetrics, Registry } from 'prom-client';

export type { Registry } from 'prom-client';

/** A registry for one process: its metrics carry the label `service`, and those of Node are in it. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

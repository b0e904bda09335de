import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Returns functions that create the metrics of a registry, by name, help and labels. */
export function metersOf(registry: Registry) {
  const registers = [registry];
  return {
    counter: <L extends string = string>(name: string, help: string, ...labelNames: L[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <L extends string = string>(name: string, help: string, ...labelNames: L[]) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <L extends string = string>(
      name: string,
      help: string,
      buckets: number[],
      ...labelNames: L[]
    ) => new Histogram({ name, help, labelNames, buckets, registers }),
    /** Creates a gauge whose value is read on each scrape. */
    measure(name: string, help: string, read: () => number | Promise<number>): void {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      });
    },
  };
}

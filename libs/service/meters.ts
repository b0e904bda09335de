import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Returns functions that create the metrics of a registry, by name, help and labels. */
export function metersOf(registry: Registry) {
  const registers = [registry];
  /** Creates a gauge whose values `read` sets on each scrape. */
  const sampled = <L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    read: (gauge: Gauge<L>) => void | Promise<void>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        return read(this);
      },
    });
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
    sampled,
    /** Creates a gauge of one value, which is read on each scrape; null: it has none. */
    measure: (name: string, help: string, read: () => number | null | Promise<number | null>) =>
      sampled(name, help, [], async (gauge) => {
        const value = await read();
        if (value === null) gauge.remove();
        else gauge.set(value);
      }),
  };
}
